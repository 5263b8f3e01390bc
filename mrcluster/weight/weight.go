// Package weight has the policies that weigh MR-clusters (FAW section 4.3), each in a file of its own: by demand (JD, DD, TD), by
// usage (PU, DU, RU), by performance (JS, JT, TT), and the baselines None and EQ.
package weight

import (
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// Options are the constants of the policies.
type Options struct {
	Psi      float64 // of RU, 0 to 1
	Absolute bool    // RU mixes usages as they are, not normalised over the MR-clusters
	A        float64 // of JT and TT, above 1
	Queue    Queue   // what JD, DD, TD, JT and TT count
}

// Defaults are the paper's: psi = 0.5 (section 7.3), a = 2 (section 4.3.3).
func Defaults() Options { return Options{Psi: 0.5, A: 2} }

// Names lists the policies.
func Names() []string {
	return []string{"JD", "DD", "TD", "PU", "DU", "RU", "JS", "JT", "TT", "EQ", "None"}
}

// New makes a policy by its name; upper and lower case are the same.
func New(name string, o Options) (mrcluster.Weighting, error) {
	const op = "choose a weighting policy"
	if !(o.Psi >= 0 && o.Psi <= 1) {
		return nil, failure.New(failure.Config, op, name, fmt.Errorf("psi is %g: want 0 to 1", o.Psi))
	}
	if !(o.A > 1 && o.A <= 1e6) {
		return nil, failure.New(failure.Config, op, name, fmt.Errorf("a is %g: want more than 1", o.A))
	}
	if o.Queue > Unfinished {
		return nil, failure.New(failure.Config, op, name, fmt.Errorf("there is no reading %d of the queue", o.Queue))
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
	case "EQ":
		return EQ{}, nil
	case "NONE":
		return None{}, nil
	}
	return nil, failure.New(failure.Config, op, name, fmt.Errorf("unknown: want one of %s", strings.Join(Names(), ", ")))
}

// part gives done/all, 0 to 1; 0 if nothing is done, also where all is 0.
func part(done, all int64) float64 {
	switch {
	case done <= 0:
		return 0
	case done >= all:
		return 1
	}
	return float64(done) / float64(all)
}

// decay is a^-q (equation 6).
func decay(a, q float64) float64 { return math.Pow(a, -q) }
