package speculation

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// A cluster is a machine with a speculator, and trackers that each run tasks at their own pace.
type cluster struct {
	t        require.TestingT
	m        *jobtracker.Machine
	now      int64
	trackers []*tracker
	hash     *history.Hash
}

type tracker struct {
	report heartbeat.Report
	pace   int32 // millionths of a task per second
	run    map[job.Attempt]*running
}

// running is an attempt and its progress.
type running struct {
	progress int32
	started  int64
}

func setup(t require.TestingT, settings ...string) scheduler.Setup {
	c := conf.New()
	for i := 0; i < len(settings); i += 2 {
		c.Set(settings[i], settings[i+1], "test")
	}
	return scheduler.Setup{Conf: c}
}

func speculator(t require.TestingT, name string, settings ...string) *Policy {
	p, err := New(name, setup(t, settings...))
	require.NoError(t, err)
	return p.(*Policy)
}

func newCluster(t require.TestingT, p scheduler.Policy) *cluster {
	f, err := fifo.New(setup(t))
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), f)
	require.NoError(t, err)
	m.SetSpeculator(p)
	c := &cluster{t: t, m: m, now: 1_000_000, hash: history.NewHash()}
	m.Recovered(c.now, nil)
	return c
}

// join adds a tracker with the given pace.
func (c *cluster) join(pace int32, slots ...int32) *tracker {
	tt := &tracker{pace: pace, run: map[job.Attempt]*running{}}
	name := string(rune('a' + len(c.trackers)))
	o := c.step(jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: name, Host: name,
		Rack: "/r", Incarnation: 1, Slots: [2]int32(slots)}})
	tt.report = heartbeat.Report{Tracker: o.Tracker, Incarnation: 1, Slots: [2]int32(slots)}
	c.trackers = append(c.trackers, tt)
	return tt
}

func (c *cluster) submit(maps, reduces int, change ...func(*job.Spec)) int32 {
	s := &job.Spec{User: "u", MapAttempts: 4, ReduceAttempts: 4, Reduces: int32(reduces), SlowStart: 1_000_000,
		Splits: make([]job.SplitMeta, maps), MapSpeculative: true, ReduceSpeculative: true}
	for _, f := range change {
		f(s)
	}
	return c.step(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s}).Job
}

func (c *cluster) step(in jobtracker.Input) (reply jobtracker.Output) {
	in.Now, in.Req = c.now, 1
	out := c.m.Step(&in, nil)
	var ends []jobtracker.Input
	for _, o := range out {
		switch o.Kind {
		case jobtracker.OutFact:
			c.hash.Add(o.Event)
		case jobtracker.OutReply:
			require.Nil(c.t, o.Err)
			reply = o
			if o.Desired != nil {
				d := *o.Desired
				d.Run = slices.Clone(d.Run)
				reply.Desired = &d
			}
		case jobtracker.OutCommit:
			ends = append(ends, jobtracker.Input{Kind: jobtracker.InCommitDone, Job: o.Job})
		case jobtracker.OutAbort:
			ends = append(ends, jobtracker.Input{Kind: jobtracker.InAbortDone, Job: o.Job})
		}
	}
	for _, e := range ends {
		c.step(e)
	}
	require.NoError(c.t, c.m.Err())
	return reply
}

// second simulates one second. Tasks advance, trackers send heartbeats, and ticks run.
func (c *cluster) second() {
	c.now += 1000
	for at := c.m.NextDeadline(); at > 0 && at <= c.now; at = c.m.NextDeadline() {
		c.step(jobtracker.Input{Kind: jobtracker.InTick})
	}
	for _, tt := range c.trackers {
		c.beat(tt)
	}
}

func (c *cluster) beat(tt *tracker) {
	r := &tt.report
	r.Seq++
	r.Attempts = r.Attempts[:0]
	ids := make([]job.Attempt, 0, len(tt.run))
	for id := range tt.run {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b job.Attempt) int {
		return slices.Compare([]int32{a.Job, int32(a.Type), a.Index, a.N}, []int32{b.Job, int32(b.Type), b.Index, b.N})
	})
	for _, id := range ids {
		x := tt.run[id]
		x.progress = int32(min(1_000_000, int64(tt.pace)*(c.now-x.started)/1000))
		s := job.AttemptRunning
		if x.progress == 1_000_000 {
			s = job.AttemptSucceeded
		}
		r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: id, State: s, Progress: x.progress,
			Counters: &job.Counters{}})
	}
	d := c.step(jobtracker.Input{Kind: jobtracker.InBeat, Report: r}).Desired
	for _, id := range ids {
		if !slices.Contains(d.Run, id) {
			delete(tt.run, id)
		}
	}
	for _, id := range d.Run {
		if tt.run[id] == nil {
			tt.run[id] = &running{started: c.now}
		}
	}
}

// until simulates until the job ends, and returns the number of seconds, which must be less than
// most.
func (c *cluster) until(seq int32, most int) int {
	for s := range most {
		if c.m.Job(seq).State.Terminal() {
			return s
		}
		c.second()
	}
	require.Fail(c.t, "the job has not ended")
	return 0
}

func (c *cluster) attempts(seq int32) (all []jobtracker.AttemptInfo) {
	c.m.Attempts(seq, func(a jobtracker.AttemptInfo) bool {
		all = append(all, a)
		return true
	})
	return all
}

// twins returns all attempts of a job's tasks except each task's first.
func (c *cluster) twins(seq int32) (all []jobtracker.AttemptInfo) {
	for _, a := range c.attempts(seq) {
		if a.ID.N > 0 {
			all = append(all, a)
		}
	}
	return all
}

func each(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range Names() {
		if name != None {
			t.Run(name, func(t *testing.T) { f(t, name) })
		}
	}
}
