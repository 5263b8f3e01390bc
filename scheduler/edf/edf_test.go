package edf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/scheduler/policytest"
)

// setup returns a setup with a configuration from alternating keys and values.
func setup(pairs ...string) scheduler.Setup {
	c := conf.New()
	for i := 0; i+1 < len(pairs); i += 2 {
		c.Set(pairs[i], pairs[i+1], "test")
	}
	return scheduler.Setup{Conf: c}
}

// A tester is a testing.T or a rapid.T.
type tester interface {
	require.TestingT
	Fatal(args ...any)
}

func buildWith(t tester, f scheduler.New, pairs ...string) *Policy {
	p, err := f(setup(pairs...))
	require.NoError(t, err)
	return p.(*Policy)
}

// withDeadline assigns random deadlines and profiles to some of the jobs.
func withDeadline(r *rand.Rand, s *job.Spec) {
	if r.IntN(3) > 0 {
		s.Deadline = 1_000_000 + 100_000*r.Int64N(4)
	}
	if r.IntN(3) > 0 {
		policytest.Set(s, conf.JobProfile.Name, fmt.Sprintf("map=%d,first=%d,typical=%d,reduce=%d", r.IntN(20_000),
			r.IntN(9000),
			r.IntN(9000), r.IntN(20_000)))
	}
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name  string
		new   scheduler.New
		idles string
		conf  []string
	}{
		{"maxedf", NewMaxEDF, "", nil},
		{"minedf", NewMinEDF, "SIM section III-C: a job's running tasks are always less than the wanted number of slots",
			nil},
		{"minedf resize", NewMinEDF, "as minedf", []string{conf.EDFResize.Name, "true", conf.EDFBound.Name, "up"}},
		{"minedf no learning", NewMinEDF, "as minedf", []string{conf.EDFLearn.Name, "false", conf.EDFBound.Name, "low"}},
		{"minedf-wc", NewMinEDFWC, "", nil},
		{"minedf-wc resize", NewMinEDFWC, "", []string{conf.EDFResize.Name, "true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			policytest.Run(t, policytest.Options{
				New: func() scheduler.Policy { return buildWith(t, c.new, c.conf...) },
				Job: withDeadline, Idles: c.idles, Cases: 60, Starves: "the earliest deadline comes first",
			})
		})
	}
}

func TestSettings(t *testing.T) {
	p := buildWith(t, NewMinEDF)
	require.Equal(t, estimate.Average, p.bound)
	require.False(t, p.resize)
	require.True(t, p.learn)
	require.Equal(t, estimate.Up, buildWith(t, NewMinEDFWC, conf.EDFBound.Name, "up").bound)
	for _, bad := range [][]string{{conf.EDFBound.Name, "best"}, {conf.EDFResize.Name, "perhaps"}, {conf.EDFLearn.Name,
		"perhaps"}} {
		_, err := NewMinEDF(setup(bad...))
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, bad[0])
	}
}

// A bench drives a machine with the policy.
type bench struct {
	t   tester
	m   *jobtracker.Machine
	now int64
	seq uint64
}

func newBench(t tester, p scheduler.Policy) *bench {
	m, err := jobtracker.New(jobtracker.DefaultConfig(), p)
	require.NoError(t, err)
	b := &bench{t: t, m: m, now: 1_000_000}
	m.Recovered(b.now, nil)
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

func (b *bench) tracker(maps, reduces int32) int32 {
	return b.step(jobtracker.Input{Kind: jobtracker.InRegister,
		Register: &jobtracker.Register{Name: fmt.Sprint("tt", b.seq), Host: "h", Rack: "/r",
			Incarnation: 1, Slots: [2]int32{maps, reduces}}}).Tracker
}

// submit submits a job. due is the time until its deadline, in ms; 0 means no deadline.
func (b *bench) submit(maps, reduces int32, due int64, profile string) int32 {
	s := &job.Spec{MapAttempts: 1, ReduceAttempts: 1, Reduces: reduces, Splits: make([]job.SplitMeta, maps)}
	if due != 0 {
		s.Deadline = b.now + due
	}
	if profile != "" {
		s.Conf = []job.Property{{Name: conf.JobProfile.Name, Value: profile}}
	}
	return b.step(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s}).Job
}

// beat sends a heartbeat of the tracker. The attempts in done have succeeded, and all others are
// running. It returns the numbers of running attempts by job and type.
func (b *bench) beat(tracker int32, done ...job.Attempt) map[int32][2]int32 {
	b.seq++
	r := &heartbeat.Report{Tracker: tracker, Incarnation: 1, Seq: b.seq, Slots: b.m.Tracker(tracker).Slots}
	for _, id := range b.running(tracker) {
		s := job.AttemptRunning
		for _, d := range done {
			if d == id {
				s = job.AttemptSucceeded
			}
		}
		r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: id, State: s, ShuffleDone: b.now, SortDone: b.now})
	}
	b.step(jobtracker.Input{Kind: jobtracker.InBeat, Report: r})
	counts := map[int32][2]int32{}
	for _, id := range b.running(tracker) {
		c := counts[id.Job]
		c[id.Type]++
		counts[id.Job] = c
	}
	return counts
}

func (b *bench) running(tracker int32) (ids []job.Attempt) {
	for _, seq := range b.m.AllJobs() {
		b.m.Attempts(seq, func(a jobtracker.AttemptInfo) bool {
			if a.Tracker == tracker && !a.State.Terminal() {
				ids = append(ids, a.ID)
			}
			return true
		})
	}
	return ids
}

// With a single slot, jobs run in the order of deadlines. Jobs without a deadline come last, by
// submission.
func TestOrder(t *testing.T) {
	for _, f := range []scheduler.New{NewMaxEDF, NewMinEDF, NewMinEDFWC} {
		b := newBench(t, buildWith(t, f))
		none := b.submit(1, 0, 0, "")
		late := b.submit(1, 0, 9000, "map=10")
		b.now++
		none2 := b.submit(1, 0, 0, "")
		soon := b.submit(1, 0, 5000, "map=10")
		tt := b.tracker(1, 0)
		for _, want := range []int32{soon, late, none, none2} {
			got := b.beat(tt, b.running(tt)...)
			require.Equal(t, map[int32][2]int32{want: {1, 0}}, got)
		}
	}
}

func TestJobsWithoutDeadlineGoByPriority(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF))
	b.submit(1, 0, 0, "")
	second := b.submit(1, 0, 0, "")
	b.step(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: second, Priority: job.High})
	require.Equal(t, map[int32][2]int32{second: {1, 0}}, b.beat(b.tracker(1, 0)))
}

// A new deadline moves a job at once, and resizes it: 8 maps of 10 s in 40 s need two slots.
func TestDeadlineChanges(t *testing.T) {
	for name, n := range map[string]scheduler.New{"max": NewMaxEDF, "min": NewMinEDF, "wc": NewMinEDFWC} {
		b := newBench(t, buildWith(t, n))
		const profile = "map=10000/10000"
		first, second, third := b.submit(8, 0, 900_000, profile), b.submit(8, 0, 950_000, profile), b.submit(8, 0, 0, profile)
		set := func(id int32, due int64) {
			b.step(jobtracker.Input{Kind: jobtracker.InSetDeadline, Job: id, Millis: due})
		}
		gets := func(id int32, slots int32) {
			t.Helper()
			tt := b.tracker(slots, 0)
			require.Equal(t, map[int32][2]int32{id: {slots, 0}}, b.beat(tt), name)
			b.step(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: tt})
		}
		gets(first, 1)
		set(second, b.now+40_000)
		gets(second, 2)
		set(third, b.now+20_000)
		gets(third, 4)
		set(third, 0)
		set(second, b.now+910_000)
		gets(first, 1)
	}
}

// A job without a profile gets all slots until its first wave is measured. Then it gets the slots
// that it needs, but only if the policy learns.
func TestLearns(t *testing.T) {
	for _, learn := range []string{"true", "false"} {
		b := newBench(t, buildWith(t, NewMinEDF, conf.EDFLearn.Name, learn))
		tt := b.tracker(4, 0)
		seq := b.submit(12, 0, 80_000, "")
		require.Equal(t, [2]int32{4, 0}, b.beat(tt)[seq])
		b.now += 10_000
		got := b.beat(tt, b.running(tt)...)[seq] // 8 maps of 10 s in the remaining 70 s
		if learn == "true" {
			require.Equal(t, [2]int32{2, 0}, got)
		} else {
			require.Equal(t, [2]int32{4, 0}, got)
		}
	}
}

// The policy learns only when all maps of the first wave have ended.
func TestLearnsFromTheWholeFirstWave(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF))
	tt := b.tracker(4, 0)
	seq := b.submit(12, 0, 800_000, "")
	b.beat(tt)
	b.now += 10_000
	require.Equal(t, [2]int32{4, 0}, b.beat(tt, b.running(tt)[:2]...)[seq])
	require.Equal(t, [2]int32{2, 0}, b.beat(tt, b.running(tt)[:2]...)[seq], "one slot is enough for 8 maps of 10 s")
}

// A job without maps is measured by its reduces.
func TestLearnsFromReduces(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF))
	tt := b.tracker(0, 4)
	seq := b.submit(0, 12, 800_000, "")
	require.Equal(t, [2]int32{0, 4}, b.beat(tt)[seq])
	b.now += 10_000
	require.Equal(t, [2]int32{0, 1}, b.beat(tt, b.running(tt)...)[seq])
}

// A job may start a pending task if it runs fewer attempts than its own limit. It needs the task if its
// attempts then also fit into its slots, except that one may always run.
func TestNeeds(t *testing.T) {
	for _, x := range []struct {
		limit, pending, running, width int32
		slots                          int32 // 0 = no size
		eager, needy                   bool
	}{
		{0, 5, 1, 1, 0, true, true}, {3, 5, 1, 1, 0, true, true}, {1, 5, 1, 1, 0, false, false},
		{0, 0, 1, 1, 0, false, false}, {9, 5, 1, 1, 0, true, true},
		{0, 5, 1, 1, 4, true, true}, {0, 5, 1, 2, 4, true, true}, {0, 5, 0, 2, 1, true, true},
		{0, 5, 3, 1, 2, true, false}, {0, 5, 1, 1, 9, true, true},
		{0, 5, 1, 0, 4, true, true},
	} {
		for k := range job.TaskType(2) {
			j := &scheduler.Job{State: job.Running, Spec: &job.Spec{}}
			*[]*int32{&j.Spec.MapLimit, &j.Spec.ReduceLimit}[k] = x.limit
			j.Pending[k], j.Running[k], j.Width[k] = x.pending, x.running, x.width
			q := newQueue()
			e := q.add(j)
			e.sized, e.slots[k] = x.slots > 0, x.slots
			q.place(e, j)
			require.Equal(t, []bool{x.eager, x.needy}, []bool{e.eager[k], e.needy[k]}, "%+v", x)
			require.False(t, e.eager[1-k])
		}
	}
}

// A job that falls behind its profile gets more slots only if resizing is enabled.
func TestResizes(t *testing.T) {
	for _, resize := range []string{"true", "false"} {
		b := newBench(t, buildWith(t, NewMinEDF, conf.EDFResize.Name, resize, conf.EDFBound.Name, "low"))
		tt := b.tracker(8, 0)
		seq := b.submit(20, 0, 100_000, "map=10000")
		require.Equal(t, [2]int32{2, 0}, b.beat(tt)[seq])
		b.now += 40_000 // four times the duration in the profile
		got := b.beat(tt, b.running(tt)...)[seq]
		if resize == "true" { // 18 maps of (8*10 + 2*40)/10 = 16 s in the remaining 60 s
			require.Equal(t, [2]int32{5, 0}, got)
			p, less := b.m.Policy().(*Policy), *b.m.Job(seq)
			less.Failed[job.Map] = 10
			p.resized(p.queue.bySeq.Get(seq), &less, b.m.Cluster().Slots)
			require.Equal(t, [2]int32{3, 0}, p.queue.bySeq.Get(seq).slots, "a map that has failed for good does not run again")
		} else {
			require.Equal(t, [2]int32{2, 0}, got)
		}
	}
}

// The policy sizes jobs again when the cluster changes.
func TestClusterGrows(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF, conf.EDFBound.Name, "low"))
	seq := b.submit(20, 0, 100_000, "map=10000")
	tt := b.tracker(1, 0)
	require.Equal(t, [2]int32{1, 0}, b.beat(tt)[seq])
	require.Equal(t, [2]int32{1, 0}, b.beat(b.tracker(8, 0))[seq], "two in all")
}

func TestExpect(t *testing.T) {
	p := buildWith(t, NewMinEDF, conf.EDFBound.Name, "low")
	b := newBench(t, p)
	tt := b.tracker(8, 0)
	seq := b.submit(20, 0, 100_000, "map=10000")
	for range 2 { // before its first task and after
		finish, ok := p.Expect(b.m, seq)
		require.True(t, ok)
		require.InDelta(t, b.now+100_000, finish, 6000)
		b.beat(tt)
	}
	_, ok := p.Expect(b.m, 99)
	require.False(t, ok)
	p = buildWith(t, NewMaxEDF)
	b = newBench(t, p)
	seq = b.submit(20, 0, 100_000, "map=10000")
	b.beat(b.tracker(4, 0))
	finish, ok := p.Expect(b.m, seq)
	require.True(t, ok)
	require.InDelta(t, b.now+50_000, finish, 6000, "with its current four slots")
}
