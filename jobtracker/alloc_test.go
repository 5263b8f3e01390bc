package jobtracker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// steady returns a machine whose trackers have no free map slots, and a function that returns a
// heartbeat with only progress.
func steady(tb testing.TB, trackers int) (*Machine, func() *Input) {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(tb, err)
	m, err := New(DefaultConfig(), p)
	require.NoError(tb, err)
	m.Recovered(1, nil)
	m.Step(&Input{Kind: InSubmit, Now: 1, Spec: spec(int32(10*trackers), int32(trackers))}, nil)
	reports := make([]*heartbeat.Report, trackers)
	for i := range reports {
		out := m.Step(&Input{Kind: InRegister, Now: 1, Req: 1,
			Register: &Register{Name: fmt.Sprint("t", i), Host: fmt.Sprint("h", i), Rack: "/r", Incarnation: 1,
				Slots: [2]int32{4, 2}}}, nil)
		r := &heartbeat.Report{Tracker: out[len(out)-1].Tracker, Incarnation: 1, Seq: 1, Slots: [2]int32{4, 2}}
		out = m.Step(&Input{Kind: InBeat, Now: 1, Req: 1, Report: r}, nil)
		for _, o := range out {
			if o.Kind == OutReply {
				for _, id := range o.Desired.Run {
					c := &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n"}}}
					r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: id, State: job.AttemptRunning, Counters: c,
						Status: "on my way"})
				}
			}
		}
		require.Len(tb, r.Attempts, 4)
		reports[i] = r
	}
	in, now, next := &Input{Kind: InBeat, Req: 2}, int64(1), 0
	return m, func() *Input {
		r := reports[next]
		next = (next + 1) % trackers
		now++
		r.Seq++
		for i := range r.Attempts {
			r.Attempts[i].Progress++
			r.Attempts[i].Counters.Builtin[job.MapInputRecords]++
		}
		in.Now, in.Report = now, r
		return in
	}
}

// A heartbeat that reports only progress does not allocate.
func TestSteadyBeatAllocatesNothing(t *testing.T) {
	m, beat := steady(t, 20)
	var out []Output
	for range 100 {
		out = m.Step(beat(), out[:0])
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { out = m.Step(beat(), out[:0]) }))
	require.Len(t, out, 1)
	require.Len(t, out[0].Desired.Run, 4)
}

func BenchmarkBeat(b *testing.B) {
	for _, trackers := range []int{10, 1000} {
		b.Run(fmt.Sprint(trackers, "trackers"), func(b *testing.B) {
			m, beat := steady(b, trackers)
			var out []Output
			for range 2 * trackers {
				out = m.Step(beat(), out[:0])
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				out = m.Step(beat(), out[:0])
			}
		})
	}
}

// BenchmarkJob runs a job with one map and one reduce from submission to end.
func BenchmarkJob(b *testing.B) {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(b, err)
	m, err := New(DefaultConfig(), p)
	require.NoError(b, err)
	out := m.Recovered(1, nil)
	m.Step(&Input{Kind: InRegister, Now: 1, Register: &Register{Name: "t", Host: "h", Incarnation: 1,
		Slots: [2]int32{2, 2}}}, out[:0])
	r := &heartbeat.Report{Tracker: 1, Incarnation: 1, Slots: [2]int32{2, 2}}
	s := spec(1, 1)
	now := int64(1)
	step := func(in *Input) (done job.Attempt) {
		now++
		in.Now, in.Req = now, 1
		out = m.Step(in, out[:0])
		for _, o := range out {
			if o.Desired != nil && len(o.Desired.Run) > 0 {
				done = o.Desired.Run[0]
			}
		}
		return done
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		step(&Input{Kind: InSubmit, Spec: s})
		for range 3 {
			r.Seq++
			id := step(&Input{Kind: InBeat, Report: r})
			r.Attempts = r.Attempts[:0]
			if id.Job != 0 {
				r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: id, State: job.AttemptSucceeded})
			}
		}
		step(&Input{Kind: InCommitDone, Job: int32(i + 1)})
	}
	require.EqualValues(b, b.N, m.LastJob())
	require.Empty(b, m.running)
}
