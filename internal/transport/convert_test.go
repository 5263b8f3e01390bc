package transport

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/transport/transporttest"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// filler sets every field of a value to a random value that the wire format can represent.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value) { transporttest.Fill(f.Rand, v, f.special) }

// special sets fields that have a special form on the wire.
func (f filler) special(field any) bool {
	switch x := field.(type) {
	case *job.ID:
		*x = job.ID{Cluster: "202611210753", Seq: 1 + f.Int32N(9999)}
	case *job.AttemptID:
		f.fill(reflect.ValueOf(&x.Job).Elem())
		x.Type, x.Index, x.N = job.TaskType(f.IntN(4)), f.Int32N(100), f.Int32N(4)
	case *job.State:
		*x = []job.State{job.Prep, job.Running, job.Succeeded, job.Failed, job.Killed}[f.IntN(5)]
	case *job.AttemptState:
		*x = job.AttemptState(f.IntN(5))
	case *job.Phase:
		*x = job.Phase(f.IntN(6))
	case *job.Locality:
		*x = job.Locality(f.IntN(4))
	case *job.Priority:
		*x = job.Priority(f.IntN(5) - 2)
	case *job.TaskType:
		*x = []job.TaskType{job.Map, job.Reduce, job.Container}[f.IntN(3)]
	case *failure.Kind:
		*x = failure.Internal
	case *job.Counters:
		x.Builtin[f.IntN(int(job.NumCounters))] = 1 + f.Int64N(1000)
		x.Add("group", "name", f.Int64N(1000))
	case *[2]*job.Counters: // Job.ByType, which clients do not receive
	default:
		return false
	}
	return true
}

// own changes a list of attempts to what the wire format can represent. Only maps and reduces can
// use a slot of a different type. If counters is false, the attempts have no counters.
func own(list []*status.Attempt, counters bool) {
	for _, a := range list {
		if a.ID.Type > job.Reduce {
			a.Slot = a.ID.Type
		}
		if !counters {
			a.Counters = nil
		}
		a.ShuffleBytes = 0 // clients do not receive it
	}
}

// Every field survives the translation. A field that a translation omits would arrive as zero.
func TestNothingIsLostOnTheWire(t *testing.T) {
	f := filler{rand.New(rand.NewPCG(1, 2))}
	for range 20 {
		var j status.Job
		f.fill(reflect.ValueOf(&j).Elem())
		own(j.Limited, false)
		own(j.Attempts, true)
		require.Equal(t, &j, jobFromWire(jobToWire(&j), status.Query{Attempts: true, Counters: true}))

		var c status.Cluster
		f.fill(reflect.ValueOf(&c).Elem())
		require.Equal(t, &c, clusterFromWire(clusterToWire(&c)))

		var q status.Queue
		f.fill(reflect.ValueOf(&q).Elem())
		require.Equal(t, q, queueFromWire(queueToWire(q)))

		var e status.Event
		f.fill(reflect.ValueOf(&e).Elem())
		require.Equal(t, e, eventFromWire(eventToWire(e)))

		var s status.Scheduler
		f.fill(reflect.ValueOf(&s).Elem())
		for _, j := range s.Jobs {
			own(j.Limited, false)
			j.Attempts, j.Counters = nil, nil
		}
		require.Equal(t, &s, schedulerFromWire(schedulerToWire(&s)))
	}
}

// A client accepts the unknown names of a newer JobTracker.
func TestUnknownNames(t *testing.T) {
	w := jobToWire(&status.Job{})
	w.State, w.Priority = "ASLEEP", "URGENT"
	j := jobFromWire(w, status.Query{})
	require.False(t, j.State.Terminal())
	require.Equal(t, job.Normal, j.Priority)
	require.True(t, j.ID.IsZero())
	require.Nil(t, j.Counters)
}

// States that Hadoop does not have are not sent.
func TestInnerStatesAreShownAsRunning(t *testing.T) {
	require.Equal(t, "RUNNING", jobToWire(&status.Job{State: job.Committing}).State)
	require.Equal(t, "RUNNING", jobToWire(&status.Job{State: job.Aborting}).State)
}
