package orchestrator

import (
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Config contains the paper's constants and the values that the paper leaves open. Times are in
// milliseconds, and shares are in millionths.
type Config struct {
	// Estimator is "regression" or "uniform" (section III-B).
	Estimator string
	// Own replaces the estimator; nil means none. No configuration key sets it.
	Own Estimator
	// Control selects the resources that the orchestrator changes. The orchestrator only observes
	// the others.
	Control [NumResources]bool
	// Sample is the interval between samples of a task's usage (section IV-D: 5 s).
	Sample int64
	// Window is the number of samples in an estimator's time window.
	Window int
	// Epoch is the interval between rounds of decisions (section IV-D: 20 s).
	Epoch int64
	// History is the maximum number of windows to keep per task. The memory model uses only these
	// windows. The CPU model uses sums over all windows.
	History int
	// Deviation is the share by which a task's usage must be below the mean usage of its phase to
	// indicate a CPU deficit, or above it to indicate a hog.
	Deviation int64
	// Straggle determines when a task counts as a straggler: if its time exceeds the mean time of
	// its phase by more than this share (Hadoop's rule: 20%).
	Straggle int64
	// Contended is the minimum CPU utilization at which a node counts as contended.
	Contended int64
	// Pressed is the minimum memory usage at which a task counts as short of memory. It is a share
	// of the task's memory limit.
	Pressed int64
	// MaxAlpha limits the resource scaling factor of equation 2 to the range from 1/MaxAlpha to
	// MaxAlpha. Each element must be at least Million. The elements can differ because more CPU
	// speeds up a task proportionally, but memory helps only until the task has enough.
	MaxAlpha Vector
	// Step is the share by which to raise the estimate for a task at its memory limit, because the
	// task's usage without the limit cannot be observed.
	Step int64
	// Headroom is the share that a donor keeps in addition to its usage or need.
	Headroom int64
	// Floor is the minimum CPU of a task, as a fraction of an equal share of the node's CPU. It
	// prevents starvation.
	Floor int64
	// Lend allows tasks to get more memory than the node's tasks had in total at launch. For
	// example, they can get the memory of empty slots. If Lend is not set, memory moves only
	// between a node's tasks, so the memory of empty slots is still free when tasks are launched in
	// them.
	Lend bool
	// FloorMemory is the minimum memory of a task, in MiB.
	FloorMemory int64
	// MinChange is the smallest change that justifies a decision, as a share of the current
	// allocation.
	MinChange int64
	// Coordinate makes Global consider the whole job before it gives a task more of a resource
	// (section II-B). If it is not set, each node follows only its own estimates, as in Figure 3(c).
	Coordinate bool
}

// DefaultConfig returns the paper's constants, and defaults for the values that the paper leaves
// open (see PAPER.md).
func DefaultConfig() Config {
	s, err := FromConf(conf.New())
	if err != nil {
		panic(err) // unreachable; a test checks the defaults
	}
	return s.Config
}

// Validate returns an error if a value is out of range.
func (c *Config) Validate() error {
	if _, ok := estimators[c.Estimator]; !ok && c.Own == nil {
		return bad("estimator", fmt.Sprintf("%q: want regression or uniform", c.Estimator))
	}
	for _, x := range []struct {
		key         *conf.Int
		value, unit int64
	}{
		{&conf.OrchestratorSampleMS, c.Sample, 1}, {&conf.OrchestratorEpochMS, c.Epoch, 1},
		{&conf.OrchestratorWindow, int64(c.Window), 1}, {&conf.OrchestratorHistory, int64(c.History), 1},
		{&conf.OrchestratorDeviation, c.Deviation, percent}, {&conf.OrchestratorStraggle, c.Straggle, percent},
		{&conf.OrchestratorContended, c.Contended, percent}, {&conf.OrchestratorPressed, c.Pressed, percent},
		{&conf.OrchestratorAlphaCPU, c.MaxAlpha[CPU], percent}, {&conf.OrchestratorAlphaMemory, c.MaxAlpha[Memory], percent},
		{&conf.OrchestratorStep, c.Step, percent}, {&conf.OrchestratorHeadroom, c.Headroom, percent},
		{&conf.OrchestratorFloorCPU, c.Floor, percent}, {&conf.OrchestratorFloorMemoryMB, c.FloorMemory, 1},
		{&conf.OrchestratorChange, c.MinChange, percent},
	} {
		low, high := x.key.Bounds()
		if low, high = low*x.unit, high*x.unit; x.value < low || x.value > high {
			return bad(x.key.Name, fmt.Sprintf("%d: want %d to %d", x.value, low, high))
		}
	}
	if c.Epoch < c.Sample {
		return bad(conf.OrchestratorEpochMS.Name, fmt.Sprintf("%d: want at least %d, the interval of samples", c.Epoch,
			c.Sample))
	}
	return nil
}

func bad(on, why string) error {
	return failure.New(failure.Config, "configure the orchestrator", on, fmt.Errorf("%s", why))
}
