// Package speculation decides which running tasks get a second attempt on another tracker, so that one slow node does not
// hold up a job. It is a choice of its own, beside the scheduler: the machine asks the scheduler first and the speculator with
// the slots that are left. Of the two attempts the one that succeeds first wins; the other is killed.
//
// There are Hadoop 1.x's rule, LATE (Zaharia et al., OSDI 2008, and Hadoop 0.21), and that of Hadoop 2 and later. PAPER.md tells
// where each comes from and what differs.
package speculation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Key names the rule of speculative execution of a JobTracker.
const Key = "howdah.speculation"

// Default is the speculator of a JobTracker that names none: Hadoop 1.x's.
const Default = "hadoop1"

// None is the name of no speculation at all.
const None = "none"

// rules is the one table of speculators.
var rules = []struct {
	name string
	rule rule
}{
	{"hadoop1", hadoop1{}},
	{"late", late{}},
	{"mrv2", mrv2{}},
	{None, nil},
}

// Names lists the speculators.
func Names() []string {
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].name
	}
	return names
}

// New makes the speculator of a name ("" = Default) by its keys; for None it is nil. Errors are of kind Config.
func New(name string, s scheduler.Setup) (scheduler.Policy, error) {
	if name == "" {
		name = Default
	}
	for _, r := range rules {
		if !strings.EqualFold(name, r.name) {
			continue
		}
		set, err := read(s.Conf)
		if err != nil || r.rule == nil {
			return nil, err
		}
		return newPolicy(r.rule, s.Conf, &set), nil
	}
	remedy := "there are: " + strings.Join(Names(), " ")
	if best := suggest.Nearest(strings.ToLower(name), Names()); best != "" {
		remedy = fmt.Sprintf("did you mean %s? There are: %s", best, strings.Join(Names(), " "))
	}
	err := errors.New("no such rule")
	if s.Conf.Get(Key) == name {
		return nil, s.Conf.Refuse(Key, err).Fix(remedy)
	}
	return nil, failure.New(failure.Config, "choose the rule of speculation", name, err).Fix(remedy)
}
