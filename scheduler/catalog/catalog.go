// Package catalog is the one table of scheduling policies by name. There is no registration: what is not here does not exist.
package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/capacity"
	"github.com/howdah/howdah/scheduler/dhfs"
	"github.com/howdah/howdah/scheduler/drf"
	"github.com/howdah/howdah/scheduler/edf"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/scheduler/ngm"
	"github.com/howdah/howdah/scheduler/pool"
)

// Key names the scheduler of a JobTracker, by its short name or by Hadoop's class.
const Key = "mapreduce.jobtracker.taskscheduler"

// Default is the scheduler of a JobTracker that names none.
const Default = "fifo"

// Entry is a policy with the names it goes by.
type Entry struct {
	Name    string
	Classes []string // Hadoop's
	Files   []string // keys that name files which the policy is configured by
	// OnRefresh: changed files count at howdah admin -refreshQueues alone, as those of Hadoop's capacity scheduler do; else
	// some seconds after they have changed.
	OnRefresh bool
	New       scheduler.New
}

var table = Table{
	{Name: "fifo", Classes: []string{"org.apache.hadoop.mapred.JobQueueTaskScheduler"}, New: fifo.New},
	{Name: "fifo-dhfs", New: dhfs.NewFIFO},
	{Name: "fair", Classes: []string{"org.apache.hadoop.mapred.FairScheduler"}, Files: []string{pool.KeyFile}, New: fair.New},
	{Name: "fair-deficit", Files: []string{pool.KeyFile}, New: fair.NewDeficit},
	{Name: "pi-dhfs", Files: []string{pool.KeyFile}, New: dhfs.NewPoolIndependent},
	{Name: "pd-dhfs", Files: []string{pool.KeyFile}, New: dhfs.NewPoolDependent},
	{Name: "capacity", Classes: []string{"org.apache.hadoop.mapred.CapacityTaskScheduler"}, Files: []string{capacity.FileKey, capacity.ACLKey}, OnRefresh: true, New: capacity.New},
	{Name: "maxedf", New: edf.NewMaxEDF},
	{Name: "minedf", New: edf.NewMinEDF},
	{Name: "minedf-wc", New: edf.NewMinEDFWC},
	{Name: "adaptive", Files: []string{adaptive.FileKey}, New: adaptive.New},
	{Name: "reverse-adaptive", Files: []string{adaptive.FileKey}, New: adaptive.NewReverse},
	{Name: "drf", New: drf.New},
	{Name: "ngm", Files: []string{capacity.FileKey, capacity.ACLKey}, OnRefresh: true, New: ngm.New},
	{Name: "minmiss", Files: []string{adaptive.FileKey}, New: adaptive.NewMinMiss},
}

// Table is a list of policies. It is not changed once it is in use.
type Table []Entry

// Builtin gives the policies that come with howdah.
func Builtin() Table { return table }

// With gives a table that has one more policy. A name that is taken is refused.
func (t Table) With(e Entry) (Table, error) {
	for i := range t {
		if t[i].is(e.Name) {
			return nil, failure.New(failure.Config, "add scheduler", e.Name, errors.New("the name is taken"))
		}
	}
	return append(slices.Clip(t), e), nil
}

// Names lists the short names.
func (t Table) Names() []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].Name
	}
	return names
}

// Find gives the policy of a name ("" = Default). An unknown name is refused with kind Config.
func (t Table) Find(name string) (*Entry, error) {
	if name == "" {
		name = Default
	}
	for i := range t {
		if t[i].is(name) {
			return &t[i], nil
		}
	}
	return nil, failure.New(failure.Config, "choose scheduler", name, errNone).Fix(alternatives(name, t.Names()))
}

var errNone = errors.New("no such scheduler")

// find is Find for the driver of a configuration: if that is what names the policy, an error tells where.
func (t Table) find(name string, c *conf.Config) (*Entry, error) {
	e, err := t.Find(name)
	if err != nil && c.Get(Key) == name {
		err = c.Refuse(Key, errNone).Fix(alternatives(name, t.Names()))
	}
	return e, err
}

// FindIn gives the policy that a configuration names. If there is none of that name, the error tells where it stands.
func (t Table) FindIn(c *conf.Config) (*Entry, error) { return t.find(c.Get(Key), c) }

// Make builds the policy of a name and gives its short name. The driver has read the files that the entry wants.
func (t Table) Make(name string, s scheduler.Setup) (scheduler.Policy, string, error) {
	e, err := t.find(name, s.Conf)
	if err != nil {
		return nil, "", err
	}
	p, err := e.New(s)
	return p, e.Name, err
}

func (e *Entry) is(name string) bool {
	for _, class := range e.Classes {
		if name == class {
			return true
		}
	}
	return strings.EqualFold(name, e.Name)
}

// alternatives names the closest scheduler, and all of them.
func alternatives(name string, names []string) string {
	if best := suggest.Nearest(strings.ToLower(name), names); best != "" {
		return fmt.Sprintf("did you mean %s? There are: %s", best, strings.Join(names, " "))
	}
	return "there are: " + strings.Join(names, " ")
}
