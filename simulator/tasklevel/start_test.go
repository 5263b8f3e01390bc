package tasklevel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

const now = 1_700_000_000_000

// begun returns a job with three maps of 10 s and two reduces that take 1 s (first shuffle) or 2 s
// (typical shuffle), and 3 s for the rest.
func begun(done, running int32, slot job.TaskType) Begun {
	d := replay.Drawn{Maps: []int64{10_000, 10_000, 10_000}, First: []int64{1000, 1000}, Typical: []int64{2000, 2000},
		Rest: []int64{3000, 3000}}
	b := Begun{ID: "job_1", Spec: &job.Spec{Splits: make([]job.SplitMeta, 3), Reduces: 2, MapAttempts: 1,
		ReduceAttempts: 1, SlowStart: 1_000_000},
		Submit: now - 20_000, Began: now - 20_000, Done: [2]int32{done}, Times: d.Times()}
	for range running {
		b.Running[job.Map] = append(b.Running[job.Map], Running{Slot: slot, Start: now - 4000})
	}
	return b
}

func continued(t *testing.T, scheduler string, x Begun, slots [2]int32) *trace.Result {
	r, err := Run(t.Context(), starting(t, scheduler, x, slots), (&trace.Trace{}).Source())
	require.NoError(t, err)
	return r
}

func starting(t *testing.T, name string, x Begun, slots [2]int32) Config {
	p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	return Config{Policy: p, Start: &Start{Now: now, Trackers: []scheduler.Tracker{{Slots: slots}}, Jobs: []Begun{x}}}
}

func TestRunFromAStart(t *testing.T) {
	// Two maps run for 6 more seconds, and then the reduces start together.
	r := continued(t, "fifo", begun(1, 2, job.Map), [2]int32{2, 2})
	require.EqualValues(t, now+6000+2000+3000, r.Jobs[0].Finish)
	require.EqualValues(t, now+6000, r.Jobs[0].MapsDone)
	// One map waits for the slot of the other.
	r = continued(t, "fifo", begun(1, 1, job.Map), [2]int32{1, 1})
	require.EqualValues(t, now+6000+10_000+2*(2000+3000), r.Jobs[0].Finish)
	// A free slot is used at once.
	r = continued(t, "fifo", begun(2, 0, job.Map), [2]int32{1, 2})
	require.EqualValues(t, now+10_000+2000+3000, r.Jobs[0].Finish)

	// A reduce that started before the last map ended has had half of its first shuffle.
	x := begun(3, 0, job.Map)
	x.MapsDone = now - 500
	x.Running[job.Reduce] = []Running{{Slot: job.Reduce, Start: now - 9000}, {Slot: job.Reduce, Start: now - 100}}
	r = continued(t, "fifo", x, [2]int32{1, 2})
	require.EqualValues(t, now-100+2000+3000, r.Jobs[0].Finish)
	x.Running[job.Reduce] = x.Running[job.Reduce][:1]
	x.Done[job.Reduce] = 1
	require.EqualValues(t, now-500+1000+3000, continued(t, "fifo", x, [2]int32{1, 2}).Jobs[0].Finish)

	// A job without tasks left ends at once, and one that waits for the last map ends after it.
	x.Running[job.Reduce], x.Done[job.Reduce] = nil, 2
	require.EqualValues(t, now, continued(t, "fifo", x, [2]int32{1, 2}).Jobs[0].Finish)
	x = begun(2, 1, job.Map)
	x.Running[job.Reduce] = []Running{{Slot: job.Reduce, Start: now - 9000}, {Slot: job.Reduce, Start: now - 9000}}
	require.EqualValues(t, now+6000+1000+3000, continued(t, "fifo", x, [2]int32{1, 2}).Jobs[0].Finish)
}

// A policy that lends no slots loses the tasks in borrowed slots, as in the machine.
func TestBorrowedSlotsAtTheStart(t *testing.T) {
	r := continued(t, "fifo-dhfs", begun(2, 1, job.Reduce), [2]int32{0, 2})
	require.EqualValues(t, now+6000+2000+3000, r.Jobs[0].Finish)
	r = continued(t, "fifo", begun(2, 1, job.Reduce), [2]int32{1, 2})
	require.EqualValues(t, now+10_000+2000+3000, r.Jobs[0].Finish)
}

func TestInvalidStarts(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"no tracker":       func(c *Config) { c.Start.Trackers = nil },
		"no slots":         func(c *Config) { c.Start.Trackers[0].Slots = [2]int32{} },
		"negative slots":   func(c *Config) { c.Start.Trackers[0].Slots = [2]int32{2, -1} },
		"unknown tracker":  func(c *Config) { c.Start.Jobs[0].Running[0][0].Tracker = 1 },
		"negative tracker": func(c *Config) { c.Start.Jobs[0].Running[0][0].Tracker = -1 },
		"unknown slot":     func(c *Config) { c.Start.Jobs[0].Running[0][0].Slot = job.Setup },
		"too many done":    func(c *Config) { c.Start.Jobs[0].Done[0] = 2 },
		"negative done":    func(c *Config) { c.Start.Jobs[0].Done[1] = -1 },
		"slots twice":      func(c *Config) { c.Slots = [2]int32{1, 1} },
	} {
		c := starting(t, "fifo", begun(1, 2, job.Map), [2]int32{2, 2})
		spoil(&c)
		_, err := Run(t.Context(), c, (&trace.Trace{}).Source())
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
	}
}
