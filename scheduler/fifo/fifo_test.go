package fifo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

func build(t *testing.T, multiple string) scheduler.Policy {
	c := conf.New()
	c.Set(conf.FifoAssignMultiple.Name, multiple, "test")
	p, err := New(scheduler.Setup{Conf: c})
	require.NoError(t, err)
	return p
}

func TestConformance(t *testing.T) {
	for _, multiple := range []string{"true", "false"} {
		t.Run("multiple="+multiple, func(t *testing.T) {
			policytest.Run(t, policytest.Options{New: func() scheduler.Policy { return build(t, multiple) },
				Starves: "a job of high priority comes before all others"})
		})
	}
}

func TestSettings(t *testing.T) {
	require.True(t, build(t, "").(*Policy).multiple)
	c := conf.New()
	c.Set(conf.FifoAssignMultiple.Name, "perhaps", "test")
	_, err := New(scheduler.Setup{Conf: c})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, conf.FifoAssignMultiple.Name)
}

// A bench is a cluster with the policy.
type bench struct{ *policytest.Hand }

func newBench(t *testing.T, multiple string) *bench {
	return &bench{policytest.NewHand(t, build(t, multiple))}
}

func (b *bench) submit(priority job.Priority, reduces int32, hosts ...string) int32 {
	s := &job.Spec{Priority: priority, MapAttempts: 1, ReduceAttempts: 1, Reduces: reduces}
	for _, h := range hosts {
		split := job.SplitMeta{}
		if h != "" {
			split.Hosts = []string{h}
		}
		s.Splits = append(s.Splits, split)
	}
	return b.Submit(s)
}

func jobsOf(ids []job.Attempt) (seqs []int32) {
	for _, id := range ids {
		seqs = append(seqs, id.Job)
	}
	return seqs
}

func TestNoTrackerSlots(t *testing.T) {
	b := newBench(t, "true")
	x := b.Join("x", "h1", "/r1", 0, 1)
	b.submit(job.Normal, 0, "")
	require.Empty(t, b.Beat(x))
	require.Zero(t, build(t, "true").NextDeadline())
}

func TestNoGarbage(t *testing.T) {
	policytest.Cost(t, policytest.Options{New: func() scheduler.Policy { return build(t, "true") }})
}

func BenchmarkDecision(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy {
		p,
			_ := New(scheduler.Setup{Conf: conf.New()})
		return p
	}})
}

// A reduce in a borrowed map slot does not count toward the tracker's share of maps. The reduce
// might wait for a map that only this tracker can run.
func TestBorrowedSlotsAreNoShare(t *testing.T) {
	p := &Policy{load: [2]int64{1, 1}}
	all := [2]int32{10, 10}
	require.EqualValues(t, 1, p.room(all, &scheduler.Tracker{Slots: [2]int32{2, 2}, Used: [2]int32{1, 0},
		Lent: [2]int32{1, 0}}, job.Map))
	require.EqualValues(t, 0, p.room(all, &scheduler.Tracker{Slots: [2]int32{2, 2}, Used: [2]int32{1, 0}}, job.Map))
	require.EqualValues(t, 0, p.room(all, &scheduler.Tracker{Slots: [2]int32{2, 2}, Used: [2]int32{2, 0},
		Lent: [2]int32{2, 0}}, job.Map), "no slot is free")
}
