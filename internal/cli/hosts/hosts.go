// Package hosts runs a cluster on several hosts over ssh. Start with ReadFile and Cluster.
package hosts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// Host is one line of a host file.
type Host struct {
	Login   string   // what ssh connects to: a host or user@host
	Name    string   // the host without the user; the other hosts use this name, too
	Daemons []string // names of daemons: JobTracker and TaskTracker, or Manager and Agent
	Maps    string   // map slots: a number, auto, or "" for the cluster's setting
	Reduces string   // reduce slots, like Maps
}

// The daemons of a host.
const (
	JobTracker  = "jobtracker"
	TaskTracker = "tasktracker"
	Manager     = "manager"
	Agent       = "agent"
)

// loginPattern excludes what ssh or a shell could misread, such as a leading dash.
var loginPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?([A-Za-z0-9][A-Za-z0-9._-]*)$`)
})

// ReadFile reads a host file: one host a line, with an optional user and options, as in
// "root@node1 tasktracker maps=4 reduces=2". Words after # are comments. Hosts without a daemon run
// a worker. If no line names a daemon, the first host also runs the JobTracker. ReadFile returns an
// error of kind Config that lists every bad line.
func ReadFile(name string) ([]Host, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read host file", name, err)
	}
	list, err := parse(b)
	if err != nil {
		return nil, failure.New(failure.Config, "read host file", name, err).
			Fix("a line is [user@]host [jobtracker] [tasktracker] [maps=N] [reduces=N], or uses manager and agent")
	}
	return list, nil
}

func parse(text []byte) (list []Host, err error) {
	var bad []error
	seen := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		h, err := parseHost(words)
		if err == nil && seen[h.Name] {
			err = fmt.Errorf("%s occurs twice", h.Name)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("line %d: %w", n, err))
		}
		seen[h.Name] = true
		list = append(list, h)
	}
	bad = append(bad, lines.Err())
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	return list, assign(list)
}

func parseHost(words []string) (h Host, err error) {
	m := loginPattern().FindStringSubmatch(words[0])
	if m == nil {
		return h, fmt.Errorf("%q is not a host; give ports and addresses with colons a name in ~/.ssh/config", words[0])
	}
	h.Login, h.Name = words[0], m[1]
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch {
		case slices.Contains([]string{JobTracker, TaskTracker, Manager, Agent}, w):
			if slices.Contains(h.Daemons, w) {
				return h, fmt.Errorf("%s occurs twice", w)
			}
			h.Daemons = append(h.Daemons, w)
		case key == "maps":
			h.Maps, err = slots(w, value)
		case key == "reduces":
			h.Reduces, err = slots(w, value)
		default:
			err = fmt.Errorf("unknown word %q", w)
		}
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

func slots(word, value string) (string, error) {
	if n, err := strconv.Atoi(value); value != "auto" && (err != nil || n < 0 || n > 10_000) {
		return "", fmt.Errorf("%s: want auto or 0 to 10000", word)
	}
	return value, nil
}

// assign sets the daemons of the hosts that name none, and checks that the hosts form one cluster.
func assign(list []Host) error {
	if len(list) == 0 {
		return errors.New("it names no host")
	}
	masters, workers := 0, 0
	if !slices.ContainsFunc(list, func(h Host) bool { return len(h.Daemons) > 0 }) {
		list[0].Daemons = []string{JobTracker, TaskTracker}
	}
	worker, other := TaskTracker, []string{Manager, Agent}
	if slices.ContainsFunc(list, func(h Host) bool { return h.runs(Manager) || h.runs(Agent) }) {
		worker, other = Agent, []string{JobTracker, TaskTracker}
	}
	for i := range list {
		h := &list[i]
		if len(h.Daemons) == 0 {
			h.Daemons = []string{worker}
		}
		slices.SortFunc(h.Daemons, func(a, b string) int { return order(a) - order(b) })
		switch {
		case slices.ContainsFunc(other, h.runs):
			return errors.New("a cluster has a jobtracker and tasktrackers, or a manager and agents, not both")
		case !h.runs(TaskTracker) && h.Maps+h.Reduces != "":
			return fmt.Errorf("%s has slots but no tasktracker", h.Name)
		}
		if order(h.Daemons[0]) == 0 {
			masters++
		}
		if h.runs(worker) {
			workers++
		}
	}
	if masters != 1 || workers == 0 {
		return fmt.Errorf("it needs one jobtracker and at least one tasktracker (or a manager and agents), "+
			"but has %d and %d", masters, workers)
	}
	return nil
}

// order is 0 for masters, which start first, and 1 for workers.
func order(daemon string) int {
	if daemon == JobTracker || daemon == Manager {
		return 0
	}
	return 1
}

func (h Host) runs(daemon string) bool { return slices.Contains(h.Daemons, daemon) }

// master returns the host of the JobTracker or the manager.
func master(list []Host) Host {
	return list[slices.IndexFunc(list, func(h Host) bool { return order(h.Daemons[0]) == 0 })]
}
