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

// The two engines differ by what beats cost: a wave ends when it is reported, at most one interval after the last of its tasks
// ended. So a job ends later by at most one interval for each wave that it waited for, and for its first tasks' wait. A policy
// that gives a tracker one task a beat needs as many beats for a wave as a tracker has slots.
//
// It is a statement about traces in which a little delay leads to a little delay. Such are single jobs, and several jobs whose
// reduces take slots in order of submission from the start; shuffles are alike, first or not. Elsewhere a task that comes a
// millisecond too late for a slot may wait for as long as a whole task (Graham's anomalies), in reality as in any engine.
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
		got := run(t, simulator.Config{Trackers: trackers, Slots: slots, Heartbeat: beat, Seed: 7, Policy: fifoWith(t, multiple)}, jobs...)

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
	c.Set(fifo.MultipleKey, map[bool]string{true: "true", false: "false"}[multiple], "test")
	p, err := fifo.New(scheduler.Setup{Conf: c})
	require.NoError(t, err)
	return p
}

// waves counts for each job how many tasks came one after the other in the slots that its own tasks had, up to the last.
type waves struct {
	scheduler.Policy
	free  [2][]int // of each slot that has been used: tasks so far
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
			if w.allUsed(v, typ) { // else it may have got a slot that was never used
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

// upTo gives the waves that a job waits for: its own and, as its reduces may wait for slots in which those of others wait for
// maps, those of the jobs before it.
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
