package pool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// barren is a View in which no map may run. It counts the calls of PickMap.
type barren struct {
	scheduler.View
	asked int
}

func (v *barren) PickMap(int32, int32, job.Locality) (int32, job.Locality, bool) {
	v.asked++
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
