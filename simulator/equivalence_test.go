package simulator_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/tasklevel"
)

// TestEnginesAgree compares the two engines. Their results differ by the cost of heartbeats,
// because the JobTracker learns of the end of a wave up to one interval late. A job therefore ends
// later by at most one interval for each wave that it waited for, plus one each for the wait of its
// first maps and of its first reduces. If a policy assigns one task per heartbeat, a wave needs as
// many heartbeats as a tracker has slots.
//
// The limit applies to traces in which a small delay causes only a small delay. Examples are single
// jobs, and several jobs whose reduces take slots from the start, in order of submission. All
// shuffles in these traces take the same time. In other traces, a task that misses a slot by a
// millisecond might wait for the length of a whole task (Graham's anomalies).
func TestEnginesAgree(t *testing.T) {
	n := *tracesFlag
	if testing.Short() {
		n = min(n, 200)
	}
	eachSeed(t, n, func(t *testing.T, r *rand.Rand) {
		s := shape{jobs: 1, oneShuffle: true, slowStart: []string{"0", "0.05", "0.5", "1"}[r.IntN(4)]}
		if r.IntN(2) == 0 {
			s.jobs, s.slowStart = between(r, 2, 5), "0"
		}
		jobs := s.draw(r)
		trackers, beat := between(r, 1, 5), int64(between(r, 50, 1000))
		slots := [2]int32{int32(between(r, 1, 4)), int32(between(r, 1, 4))}
		multiple := r.IntN(2) == 0

		w := &waves{Policy: newFIFO(t), depth: map[job.Attempt]int{}, ofJob: map[int32][2]int{}}
		all := [2]int32{slots[0] * int32(trackers), slots[1] * int32(trackers)}
		want, err := tasklevel.Run(t.Context(), tasklevel.Config{Slots: all, Policy: w, Seed: 7}, source(jobs))
		require.NoError(t, err)
		got := run(t, simulator.Config{Trackers: trackers, Slots: slots, Heartbeat: beat, Seed: 7,
			Policy: fifoWith(t, multiple)}, jobs...)

		perWave := beat
		if !multiple {
			perWave *= int64(max(slots[0], slots[1]))
		}
		byID := map[string]int64{}
		for i := range got.Jobs {
			byID[got.Jobs[i].ID] = got.Jobs[i].Finish
		}
		for _, x := range want.Jobs {
			d := w.upTo(x.Seq)
			late := byID[x.ID] - x.Finish
			require.GreaterOrEqual(t, late, int64(0), "job %s ended earlier than without beats", x.ID)
			require.LessOrEqual(t, late, perWave*int64(d[0]+d[1]+2), "job %s of %d+%d waves", x.ID, d[0], d[1])
		}
	})
}

func fifoWith(t *testing.T, multiple bool) scheduler.Policy {
	c := conf.New()
	c.Set(conf.FifoAssignMultiple.Name, map[bool]string{true: "true", false: "false"}[multiple], "test")
	p, err := fifo.New(scheduler.Setup{Conf: c})
	require.NoError(t, err)
	return p
}

// waves counts, for each job, the maximum number of tasks that ran one after another in a slot, up to
// a task of this job.
type waves struct {
	scheduler.Policy
	free  [2][]int // number of tasks so far in each slot that is free after use
	depth map[job.Attempt]int
	ofJob map[int32][2]int
}

func (w *waves) Observe(v scheduler.View, e *event.Event) {
	w.Policy.Observe(v, e)
	typ := e.Attempt.Type
	switch e.Type {
	case event.AttemptStarted:
		d := 1
		if n := len(w.free[typ]); n > 0 {
			slices.Sort(w.free[typ])
			d += w.free[typ][n-1]
			if w.allUsed(v, typ) { // otherwise the task may have taken an unused slot
				w.free[typ] = w.free[typ][:n-1]
			}
		}
		w.depth[e.Attempt] = d
		of := w.ofJob[e.Job]
		of[typ] = max(of[typ], d)
		w.ofJob[e.Job] = of
	case event.AttemptFinished:
		w.free[typ] = append(w.free[typ], w.depth[e.Attempt])
	}
}

// upTo returns the number of waves that a job waits for: its own waves and those of the earlier
// jobs. The earlier jobs count because their reduces can hold slots while they wait for maps.
func (w *waves) upTo(seq int32) (d [2]int) {
	for s := int32(1); s <= seq; s++ {
		for k, n := range w.ofJob[s] {
			d[k] = max(d[k], n)
		}
	}
	return d
}

func (w *waves) allUsed(v scheduler.View, typ job.TaskType) bool {
	return v.Cluster().Used[typ] >= v.Cluster().Slots[typ]
}
