// Package speculation decides which running tasks get a second attempt on another tracker, so that
// a slow node does not delay a job. A speculator works with every scheduler. The machine asks the
// scheduler first, and then the speculator for the remaining slots. When one attempt succeeds, the
// machine kills the other.
//
// The package implements the rule of Hadoop 1.x, LATE (Zaharia et al., OSDI 2008, and Hadoop 0.21),
// and the rule of Hadoop 2 and later. PAPER.md describes the origin of each rule and the
// deviations.
package speculation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Default names the speculator of a JobTracker that does not configure one. It is the rule of Hadoop
// 1.x.
const Default = "hadoop1"

// None is the name that turns speculation off.
const None = "none"

// rules lists the speculators by name. A nil rule turns speculation off.
var rules = []struct {
	name string
	rule rule
}{
	{"hadoop1", hadoop1{}},
	{"late", late{}},
	{"mrv2", mrv2{}},
	{None, nil},
}

// Names returns the names of the speculators.
func Names() []string {
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].name
	}
	return names
}

// New returns the named speculator with the settings from s.Conf. The case of the name does not
// matter, and "" means Default. New returns nil for None. Errors are of kind Config.
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
	remedy := "use one of: " + strings.Join(Names(), " ")
	if best := suggest.Nearest(strings.ToLower(name), Names()); best != "" {
		remedy = fmt.Sprintf("did you mean %s? Use one of: %s", best, strings.Join(Names(), " "))
	}
	err := errors.New("no such rule")
	if conf.Speculation.Get(s.Conf) == name {
		return nil, s.Conf.Refuse(conf.Speculation.Name, err).Fix(remedy)
	}
	return nil, failure.New(failure.Config, "choose the speculation rule", name, err).Fix(remedy)
}
