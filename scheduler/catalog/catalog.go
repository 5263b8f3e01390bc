// Package catalog is the one table of scheduling policies by name. There is no registration: what is not here does not exist.
package catalog

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// Key names the scheduler of a JobTracker, by its short name or by Hadoop's class.
const Key = "mapreduce.jobtracker.taskscheduler"

// Default is the scheduler of a JobTracker that names none.
const Default = "fifo"

// entry is a policy with the names it goes by.
type entry struct {
	name    string
	classes []string // Hadoop's
	build   func(*conf.Config) (scheduler.Policy, error)
}

var table = []entry{
	{"fifo", []string{"org.apache.hadoop.mapred.JobQueueTaskScheduler"}, fifo.New},
}

// Names lists the short names.
func Names() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].name
	}
	return names
}

// New builds the policy of a name ("" = Default) with the settings in c. An unknown name is refused with kind Config.
func New(name string, c *conf.Config) (scheduler.Policy, error) {
	if name == "" {
		name = Default
	}
	for i := range table {
		if table[i].is(name) {
			return table[i].build(c)
		}
	}
	return nil, failure.New(failure.Config, "choose scheduler", name, fmt.Errorf("%s=%s: no such scheduler", Key, name)).
		Fix(suggest(name))
}

func (e *entry) is(name string) bool {
	for _, class := range e.classes {
		if name == class {
			return true
		}
	}
	return strings.EqualFold(name, e.name)
}

// suggest names the closest scheduler, and all of them.
func suggest(name string) string {
	best, dist := "", len(name)/2+2
	for _, n := range Names() {
		if d := distance(strings.ToLower(name), n); d < dist {
			best, dist = n, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s? There are: %s", best, strings.Join(Names(), " "))
	}
	return "there are: " + strings.Join(Names(), " ")
}

// distance is how many letters must be changed, added or left out to make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for k := range b {
			cost := diagonal
			if a[i] != b[k] {
				cost = 1 + min(diagonal, row[k], row[k+1])
			}
			diagonal, row[k+1] = row[k+1], cost
		}
	}
	return row[len(b)]
}
