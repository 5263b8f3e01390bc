package pool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// barren is a View in which no map may run. It counts the calls of PickMap and records the last
// distance that a call permitted.
type barren struct {
	scheduler.View
	asked    int
	farthest job.Locality
}

func (v *barren) PickMap(_, _ int32, farthest job.Locality) (int32, job.Locality, bool) {
	v.asked, v.farthest = v.asked+1, farthest
	return 0, 0, false
}

// The index uses a recorded miss only while the job's maps must be near their input.
func TestMissesAreNotAskedAgain(t *testing.T) {
	v := &barren{}
	x := NewIndex(Single(Fair), nil)
	j := &Job{Pool: x.pool("p", 0)}
	x.beat = beat{v: v, tracker: 3, node: 100, rack: 100}
	for range 2 {
		require.False(t, x.launchMap(j, job.Map, Wait))
		require.Equal(t, 1, v.asked, "near its input")
	}
	j.wait.waited = 150
	for n := range 2 {
		require.False(t, x.launchMap(j, job.Map, Wait))
		require.Equal(t, 2+n, v.asked, "in its rack")
	}
}

// With Relax, maps may run anywhere once the beat has tried their job, but not before.
func TestRelaxedLocality(t *testing.T) {
	v := &barren{}
	x := NewIndex(Single(Fair), nil)
	j := &Job{Pool: x.pool("p", 0)}
	x.beat = beat{v: v, number: 1, node: 100, rack: 100}
	for _, want := range []job.Locality{job.DataLocal, job.OffSwitch} {
		require.False(t, x.launchMap(j, job.Map, Relax))
		require.Equal(t, want, v.farthest)
	}
}

// A pool at its maximum starts nothing, even if the caller asks for a task of this pool.
func TestNoLaunchAtTheMaximum(t *testing.T) {
	for running, want := range map[int32]int{1: 1, 2: 0, 3: 0} {
		v := &barren{}
		x := NewIndex(Single(Fair), nil)
		p := x.pool("p", 0)
		p.Max[job.Map], p.Running[job.Map] = 2, running
		p.waiting[job.Map].Items = []*Job{{Pool: p}}
		x.beat = beat{v: v}
		require.False(t, x.LaunchOf(p, job.Map, job.Map, Wait))
		require.Equal(t, want, v.asked, "%d tasks run", running)
	}
}

// fertile is a View in which a reduce of its job can start anywhere.
type fertile struct {
	scheduler.View
	j scheduler.Job
}

func (v *fertile) Job(int32) *scheduler.Job            { return &v.j }
func (v *fertile) PickReduce(_, _ int32) (int32, bool) { return 0, true }

// permissive is a Plan that starts every task.
type permissive struct{ scheduler.Plan }

func (permissive) Launch(job.Task, int32, job.TaskType) bool { return true }

// A reduce takes a map slot only if its job has no pending maps, which could need the slot.
func TestReducesInMapSlots(t *testing.T) {
	for _, c := range []struct {
		slot    job.TaskType
		pending int32
		want    bool
	}{{job.Reduce, 0, true}, {job.Reduce, 1, true}, {job.Map, 0, true}, {job.Map, 1, false}} {
		x := NewIndex(Single(Fair), nil)
		x.beat = beat{v: &fertile{j: scheduler.Job{Pending: [2]int32{c.pending, 1}}}, plan: permissive{}}
		require.Equal(t, c.want, x.launchReduce(&Job{}, c.slot), "%+v", c)
	}
}

// The index records misses on trackers with small handles, unless maps of the job may have failed.
func TestMissesAreRecorded(t *testing.T) {
	for _, c := range []struct {
		tracker int32
		off     bool
		want    bool
	}{{0, false, true}, {64, false, true}, {maxHandle - 1, false, true}, {maxHandle, false, false}, {1, true, false}} {
		m := misses{off: c.off}
		m.add(c.tracker)
		require.Equal(t, c.want, m.has(c.tracker), "%+v", c)
		require.False(t, m.has(c.tracker+1), "%+v", c)
	}
}

// A new job with maps gets memory for misses on all trackers with small handles, and no more.
func TestMemoryForMisses(t *testing.T) {
	for _, c := range []struct {
		maps     int
		trackers []int32
		want     int
	}{{1, nil, 0}, {0, []int32{1, 64}, 0}, {1, []int32{1, 63}, 1}, {1, []int32{1, 64}, 2},
		{1, []int32{1, 10 * maxHandle}, maxHandle/64 + 1}} {
		var m misses
		m.begin(&scheduler.Job{Spec: &job.Spec{Splits: make([]job.SplitMeta, c.maps)}}, c.trackers)
		require.Empty(t, m.bits)
		require.Equal(t, c.want, cap(m.bits), "%+v", c)
	}
}

// A miss ends when a map may have become pending again. After a failure, the index records no more
// misses of the job.
func TestFactsThatEndMisses(t *testing.T) {
	for _, c := range []struct {
		e         event.Event
		kept, off bool
	}{
		{event.Event{Type: event.AttemptStarted}, true, false},
		{event.Event{Type: event.AttemptFinished, State: job.AttemptSucceeded}, true, false},
		{event.Event{Type: event.AttemptFinished, State: job.AttemptKilled}, false, false},
		{event.Event{Type: event.AttemptFinished, State: job.AttemptFailed}, false, true},
		{event.Event{Type: event.TaskReopened}, false, false},
		{event.Event{Type: event.TrackerBlacklisted}, false, true},
	} {
		var m misses
		m.add(3)
		m.observe(&c.e)
		require.Equal(t, c.kept, m.has(3), "%+v", c)
		require.Equal(t, c.off, m.off, "%+v", c)
	}
}

// The index does not record misses of a job whose maps have started, because one of them might have
// failed.
func TestMissesBegin(t *testing.T) {
	for _, c := range []struct {
		running, finished, failed int32
		off                       bool
	}{{0, 0, 0, false}, {1, 0, 0, true}, {0, 1, 0, true}, {0, 0, 1, true}, {1, 1, 0, true}, {0, 1, 1, true}} {
		var m misses
		m.begin(&scheduler.Job{Spec: &job.Spec{}, Running: [2]int32{c.running, 0}, Finished: [2]int32{c.finished, 0},
			Failed: [2]int32{c.failed, 0}}, nil)
		require.Equal(t, c.off, m.off, "%+v", c)
	}
}
