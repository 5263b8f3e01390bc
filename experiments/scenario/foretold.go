package scenario

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
)

// curveFile is the name of the file of f(t) for adaptive schedulers.
const curveFile = "co-tenants.curve"

// foretold returns the co-tenants whose f(t) the schedulers know, or nil.
func (s *Scenario) foretold() *CoTenant {
	for i := range s.CoTenants {
		if s.CoTenants[i].Foretold {
			return &s.CoTenants[i]
		}
	}
	return nil
}

// curve returns the file that tells the adaptive schedulers what the co-tenants leave. origin is the
// start of the workload, in ms since the epoch.
func (c *CoTenant) curve(origin int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "period %dms\norigin %d\nstep %dms\n", c.Period, origin, c.Period)
	for i, s := range c.Steps {
		if i > 0 && s.At > c.Steps[i-1].At+1 {
			fmt.Fprintf(&b, "%dms %g\n", s.At-1, 1-c.Steps[i-1].Share)
		}
		fmt.Fprintf(&b, "%dms %g\n", s.At, 1-s.Share)
	}
	fmt.Fprintf(&b, "%dms %g\n", c.Period, 1-c.Steps[len(c.Steps)-1].Share)
	return b.String()
}

// capacitySetting is the setting that names the file.
func capacitySetting() string { return conf.AdaptiveCapacityFile.Name + "=@DIR@/" + curveFile }
