package fifo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

func build(t *testing.T, multiple string) scheduler.Policy {
	c := conf.New()
	c.Set(MultipleKey, multiple, "test")
	p, err := New(scheduler.Setup{Conf: c})
	require.NoError(t, err)
	return p
}

func TestConformance(t *testing.T) {
	for _, multiple := range []string{"true", "false"} {
		t.Run("multiple="+multiple, func(t *testing.T) {
			policytest.Run(t, policytest.Options{New: func() scheduler.Policy { return build(t, multiple) }, IndexOnly: true,
				Starves: "a job of high priority comes before all others"})
		})
	}
}

func TestSettings(t *testing.T) {
	require.True(t, build(t, "").(*Policy).multiple)
	c := conf.New()
	c.Set(MultipleKey, "perhaps", "test")
	_, err := New(scheduler.Setup{Conf: c})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, MultipleKey)
}

// bench is a machine with the policy, driven by hand.
type bench struct {
	t   *testing.T
	m   *jobtracker.Machine
	now int64
	seq uint64
}

func newBench(t *testing.T, multiple string) *bench {
	m, err := jobtracker.New(jobtracker.DefaultConfig(), build(t, multiple))
	require.NoError(t, err)
	b := &bench{t: t, m: m, now: 1}
	m.Recovered(1, nil)
	return b
}

func (b *bench) step(in jobtracker.Input) jobtracker.Output {
	in.Req, in.Now = 1, b.now
	for _, o := range b.m.Step(&in, nil) {
		if o.Kind == jobtracker.OutReply {
			require.Nil(b.t, o.Err)
			return o
		}
	}
	b.t.Fatal("no reply")
	return jobtracker.Output{}
}

func (b *bench) tracker(name, host, rack string, slots ...int32) int32 {
	return b.step(jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: name, Host: host, Rack: rack, Incarnation: 1, Slots: [2]int32(slots)}}).Tracker
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
	b.now++
	return b.step(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s}).Job
}

// beat lets a tracker report what it has been told to run, and gives what is new.
func (b *bench) beat(tracker int32) []job.Attempt {
	b.seq++
	before := map[job.Attempt]bool{}
	r := &jobtracker.Report{Tracker: tracker, Incarnation: 1, Seq: b.seq, Slots: b.m.Tracker(tracker).Slots}
	for _, seq := range b.m.AllJobs() {
		b.m.Attempts(seq, func(a jobtracker.AttemptInfo) bool {
			if a.Tracker == tracker {
				before[a.ID] = true
				r.Attempts = append(r.Attempts, jobtracker.AttemptReport{Attempt: a.ID, State: job.AttemptRunning})
			}
			return true
		})
	}
	var fresh []job.Attempt
	for _, id := range b.step(jobtracker.Input{Kind: jobtracker.InBeat, Report: r}).Desired.Run {
		if !before[id] {
			fresh = append(fresh, id)
		}
	}
	return fresh
}

func jobsOf(ids []job.Attempt) (seqs []int32) {
	for _, id := range ids {
		seqs = append(seqs, id.Job)
	}
	return seqs
}

func TestNoTrackerSlots(t *testing.T) {
	b := newBench(t, "true")
	x := b.tracker("x", "h1", "/r1", 0, 1)
	b.submit(job.Normal, 0, "")
	require.Empty(t, b.beat(x))
	require.Zero(t, build(t, "true").NextDeadline())
}

func TestNoGarbage(t *testing.T) {
	policytest.Alloc(t, policytest.Options{New: func() scheduler.Policy { return build(t, "true") }})
}

func BenchmarkDecision(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { p, _ := New(scheduler.Setup{Conf: conf.New()}); return p }})
}

// A reduce in a borrowed map slot does not use up the tracker's share of maps: it may wait for a map that only this tracker can run.
func TestBorrowedSlotsAreNoShare(t *testing.T) {
	p := &Policy{load: [2]int64{1, 1}}
	all := [2]int32{10, 10}
	require.EqualValues(t, 1, p.room(all, &scheduler.Tracker{Slots: [2]int32{2, 2}, Used: [2]int32{1, 0}, Lent: [2]int32{1, 0}}, job.Map))
	require.EqualValues(t, 0, p.room(all, &scheduler.Tracker{Slots: [2]int32{2, 2}, Used: [2]int32{1, 0}}, job.Map))
	require.EqualValues(t, 0, p.room(all, &scheduler.Tracker{Slots: [2]int32{2, 2}, Used: [2]int32{2, 0}, Lent: [2]int32{2, 0}}, job.Map), "no slot is free")
}
