package orchestrator

import (
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// Config holds what the paper sets or leaves open. Times are milliseconds, shares are millionths.
type Config struct {
	// Estimator is "regression" or "uniform" (section III-B).
	Estimator string
	// Control says which resources are changed; the others are only watched.
	Control [NumResources]bool
	// Sample is the time between two samples of a task's usage (section IV-D: 5 s).
	Sample int64
	// Window is how many samples make one time window of the estimators.
	Window int
	// Epoch is the time between two rounds of decisions (section IV-D: 20 s).
	Epoch int64
	// History bounds the windows that are kept of a task. CPU is fitted to all there ever were, memory to recent ones.
	History int
	// Deviation is how far a task's usage lies from the mean of its job's phase before it counts as a deficit or a hog.
	Deviation int64
	// Straggle is how much more time than the mean of its phase a task needs to be a straggler (Hadoop's rule: 20%).
	Straggle int64
	// Contended is the share of a node's CPU that is in use when its tasks contend for it.
	Contended int64
	// Pressed is the share of its memory that a task uses when it is short of it.
	Pressed int64
	// MaxAlpha bounds the resource scaling factor of equation 2 to 1/MaxAlpha..MaxAlpha; at least a whole. CPU makes a task faster
	// in proportion, memory only until it has what it wants.
	MaxAlpha Vector
	// Step is by how much a task that presses against its limit gets more than it uses: what it would use cannot be seen.
	Step int64
	// Headroom is what a donor keeps above what it uses or needs.
	Headroom int64
	// Floor is the share of an equal part of the node's CPU below which no task falls, so that none starves.
	Floor int64
	// Lend gives tasks also what memory of a node no task was launched with: that of empty slots. Without it memory moves among the
	// tasks of a node only, so that one which is launched with the next beat finds its part.
	Lend bool
	// FloorMemory is the MiB below which no task falls.
	FloorMemory int64
	// MinChange is the share of what a task has below which a change is not worth its telling.
	MinChange int64
	// Coordinate lets Global look at the whole job before a task gets more (section II-B). Without it each node does what its
	// own estimates say, as in Figure 3(c).
	Coordinate bool
}

// DefaultConfig gives the paper's constants, and for what it leaves open those of PAPER.md.
func DefaultConfig() Config {
	return Config{Estimator: "regression", Control: [NumResources]bool{true, true}, Sample: 5000, Window: 1, Epoch: 20_000, History: 512,
		Deviation: 200_000, Straggle: 200_000, Contended: 900_000, Pressed: 950_000, MaxAlpha: Vector{2 * Million, 2 * Million}, Step: 250_000,
		Headroom: 100_000, Floor: 500_000, FloorMemory: 64, MinChange: 20_000, Lend: true, Coordinate: true}
}

const day = 24 * 3600 * 1000

// Validate says what is out of range.
func (c *Config) Validate() error {
	if _, ok := estimators[c.Estimator]; !ok {
		return bad("estimator", fmt.Sprintf("%q is none of regression and uniform", c.Estimator))
	}
	for _, x := range []struct {
		name             string
		value, low, high int64
	}{
		{"sample interval", c.Sample, 10, day}, {"epoch", c.Epoch, c.Sample, day}, {"window", int64(c.Window), 1, 1000},
		{"history", int64(c.History), 4, 100_000}, {"deviation", c.Deviation, 0, Million}, {"straggle", c.Straggle, 0, 100 * Million},
		{"contended", c.Contended, 0, Million}, {"pressed", c.Pressed, 0, Million}, {"alpha of cpu", c.MaxAlpha[CPU], Million, 100 * Million}, {"alpha of memory", c.MaxAlpha[Memory], Million, 100 * Million},
		{"step", c.Step, 0, 10 * Million}, {"headroom", c.Headroom, 0, Million}, {"floor", c.Floor, 0, Million},
		{"memory floor", c.FloorMemory, 1, 1 << 20}, {"least change", c.MinChange, 0, Million},
	} {
		if x.value < x.low || x.value > x.high {
			return bad(x.name, fmt.Sprintf("%d is not in %d to %d", x.value, x.low, x.high))
		}
	}
	return nil
}

func bad(on, why string) error {
	return failure.New(failure.Config, "configure the orchestrator", on, fmt.Errorf("%s", why))
}
