// Package weight contains the policies that weigh MR-clusters (FAW section 4.3), each in its own
// file. Start with New, which returns a policy by name.
//
//   - JD, DD, and TD weigh by demand.
//   - PU, DU, and RU weigh by usage.
//   - JS, JT, and TT weigh by performance.
//   - DS weighs by deadline slack. It is not in the paper.
//   - None and EQ are baselines.
package weight

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// Options holds the parameters of the policies.
type Options struct {
	Psi      float64 // for RU, from 0 to 1
	Absolute bool    // makes RU mix the usages without normalization
	A        float64 // for JT, TT, and DS, above 1
	Queue    Queue   // the jobs and tasks that JD, DD, TD, JT, and TT count
}

// Defaults returns the paper's parameters: psi = 0.5 (section 7.3) and a = 2 (section 4.3.3).
func Defaults() Options { return Options{Psi: 0.5, A: 2} }

// Names returns the names of the policies.
func Names() []string {
	return []string{"JD", "DD", "TD", "PU", "DU", "RU", "JS", "JT", "TT", "DS", "EQ", "None"}
}

// New returns the policy with the given name, ignoring case. It returns an error of kind Config if
// the name or an option is invalid.
func New(name string, o Options) (mrcluster.Weighting, error) {
	const op = "choose a weighting policy"
	if !(o.Psi >= 0 && o.Psi <= 1) {
		return nil, failure.New(failure.Config, op, name, fmt.Errorf("psi is %g: want 0 to 1", o.Psi))
	}
	if !(o.A > 1 && o.A <= 1e6) {
		return nil, failure.New(failure.Config, op, name, fmt.Errorf("a is %g: want more than 1, at most 1e6", o.A))
	}
	if o.Queue > Unfinished {
		return nil, failure.New(failure.Config, op, name, fmt.Errorf("queue %d is unknown", o.Queue))
	}
	switch strings.ToUpper(name) {
	case "JD":
		return JD{Queue: o.Queue}, nil
	case "DD":
		return DD{Queue: o.Queue}, nil
	case "TD":
		return TD{Queue: o.Queue}, nil
	case "PU":
		return PU{}, nil
	case "DU":
		return DU{}, nil
	case "RU":
		return RU{Psi: o.Psi, Absolute: o.Absolute}, nil
	case "JS":
		return JS{}, nil
	case "JT":
		return JT{A: o.A, Queue: o.Queue}, nil
	case "TT":
		return TT{A: o.A, Queue: o.Queue}, nil
	case "DS":
		return DS{A: o.A}, nil
	case "EQ":
		return EQ{}, nil
	case "NONE":
		return None{}, nil
	}
	return nil, failure.New(failure.Config, op, name, fmt.Errorf("unknown: want one of %s", strings.Join(Names(), ", ")))
}

// An Entry is a policy that a program adds to those of this package. New gets the configuration of the
// manager or of the scenario.
type Entry struct {
	Name string
	New  func(*conf.Config) (mrcluster.Weighting, error)
}

// Open returns the policy with the given name, which can be one of own. It returns an error of kind
// Config if New would, or if own contains a name that is taken.
func Open(name string, c *conf.Config, o Options, own []Entry) (mrcluster.Weighting, error) {
	names := Names()
	for _, e := range own {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, e.Name) }) {
			return nil, failure.New(failure.Config, "add weighting policy", e.Name, errors.New("the name is taken"))
		}
		names = append(names, e.Name)
	}
	for _, e := range own {
		if strings.EqualFold(name, e.Name) {
			return e.New(c)
		}
	}
	return New(name, o)
}

// part returns done/all, limited to 1. It returns 0 if done is 0, even if all is 0.
func part(done, all int64) float64 {
	if done <= 0 {
		return 0
	}
	return float64(done) / float64(max(done, all))
}

// decay returns a^-q (equation 6).
func decay(a, q float64) float64 { return math.Pow(a, -q) }
