package policytest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

func TestStranger(t *testing.T) {
	Run(t, Options{New: func() scheduler.Policy { return &stranger{} }, Cases: 60,
		Starves: "the oldest job comes first"})
	o := Options{New: func() scheduler.Policy { return &stranger{} }}.withDefaults()
	checkGarbage(t, o)
	require.Greater(t, o.looks(1000, 10), 10*mostLooks, "the stranger looks at every job")
}

// A bad policy can have a defect that one of the properties must detect.
type bad struct {
	stranger
	assign func(v scheduler.View, tracker int32, p scheduler.Plan)
	tick   int64
	jobs   map[int32]bool
	heard  int
	sink   []byte
}

func (b *bad) Reset(v scheduler.View) {
	b.jobs, b.heard = map[int32]bool{}, 0
	for _, seq := range v.Jobs() {
		b.jobs[seq] = true
	}
}

func (b *bad) Observe(_ scheduler.View, e *event.Event) {
	b.heard++
	switch e.Type {
	case event.JobStarted:
		b.jobs[e.Job] = true
	case event.JobCommitting, event.JobAborting:
		delete(b.jobs, e.Job)
	}
}

func (b *bad) Assign(v scheduler.View, tracker int32, p scheduler.Plan) { b.assign(v, tracker, p) }
func (b *bad) NextDeadline() int64                                      { return b.tick }

// one launches a map of a job if any can run on the tracker.
func one(v scheduler.View, seq, tracker int32, p scheduler.Plan) {
	if i, _, ok := v.PickMap(seq, tracker, job.OffSwitch); ok {
		p.Launch(job.Task{Job: seq, Type: job.Map, Index: i}, tracker, job.Map)
	}
}

// These properties detect policies that violate them.
func TestFaultsAreFound(t *testing.T) {
	fine := (&stranger{}).Assign
	for name, f := range map[string]struct {
		property func(game)
		build    func() *bad
		text     string
	}{
		"idle": {places, func() *bad {
			return &bad{assign: func(v scheduler.View, tracker int32, p scheduler.Plan) {
				if tracker != 1 {
					fine(v, tracker, p)
				}
			}}
		}, "has room"},
		"never": {ends, func() *bad {
			return &bad{assign: func(scheduler.View, int32, scheduler.Plan) {}}
		}, "have not ended"},
		"map order": {deterministic, func() *bad {
			b := &bad{}
			b.assign = func(v scheduler.View, tracker int32, p scheduler.Plan) {
				for seq := range b.jobs {
					one(v, seq, tracker, p)
				}
			}
			return b
		}, "different facts"},
		"history": {walks, func() *bad {
			b := &bad{}
			b.assign = func(v scheduler.View, tracker int32, p scheduler.Plan) {
				if b.heard%2 == 0 {
					fine(v, tracker, p)
				}
			}
			return b
		}, `different decision\nthe first difference:\n  state kept: .*\n  walk: after \d+ ms, ` +
			`ATTEMPT_STARTED of job \d+, (map|reduce) \d+, attempt 0 on tracker \d+$`},
		"busy clock": {ends, func() *bad { return &bad{assign: fine, tick: 1} }, "ticks in"},
		"crash": {legal, func() *bad {
			return &bad{assign: func(v scheduler.View, tracker int32, p scheduler.Plan) { _ = v.Job(99).Seq }}
		}, "panic: "},
		"unjust": {starves, func() *bad {
			return &bad{assign: func(v scheduler.View, tracker int32, p scheduler.Plan) {
				for i := len(v.Jobs()) - 1; i >= 0; i-- {
					one(v, v.Jobs()[i], tracker, p)
				}
			}}
		}, "has waited"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{New: func() scheduler.Policy { return f.build() }, Patience: 15}.withDefaults()
			found := ""
			for seed := uint64(1); found == "" && seed <= 100; seed++ {
				found = newGame(o, seed).try(f.property)
			}
			require.Regexp(t, f.text, found)
		})
	}
}

// The books detect a machine that assigns a slot or memory twice. The real machine does not do
// that, so the test passes false facts to the books.
func TestBooks(t *testing.T) {
	o := Options{New: func() scheduler.Policy { return &stranger{} }}.withDefaults()
	g := newGame(o, 1)
	g.slots, g.script = [][2]int32{{2, 2}}, nil
	c := g.build()
	c.step(&jobtracker.Input{Kind: jobtracker.InSubmit, Spec: &job.Spec{Splits: make([]job.SplitMeta, 9), MapAttempts: 1,
		ReduceAttempts: 1}})
	lie := func(slot job.TaskType, wide int64) string {
		return g.try(func(game) {
			c.books = newBooks()
			for i := range int32(2) {
				c.books.take(c, &event.Event{Type: event.AttemptStarted, Job: 1, Tracker: 1, Slot: slot, N: wide,
					Attempt: job.Attempt{Task: job.Task{Job: 1, Index: i}}})
			}
		})
	}
	require.Empty(t, lie(job.Reduce, 0))
	require.Contains(t, lie(job.Map, 2), "now uses 4 of 2 slots")
	require.Contains(t, lie(job.Container, 0), "now want 1024 of 0 MiB")
}

func TestGarbageIsFound(t *testing.T) {
	o := Options{New: func() scheduler.Policy {
		b := &bad{}
		b.assign = func(v scheduler.View, tracker int32, p scheduler.Plan) {
			b.sink = make([]byte, 100)
			(&stranger{}).Assign(v, tracker, p)
		}
		return b
	}}.withDefaults()
	own, launches := o.garbage(50, 500)
	require.EqualValues(t, 500, own)
	require.Positive(t, launches)
}

// A slow policy launches and kills a task in Assign and in Tick. It takes 1 ms for each of these
// calls, and 10 ms for each call of Observe.
type slow struct{ stranger }

func (slow) Observe(scheduler.View, *event.Event) { time.Sleep(10 * time.Millisecond) }

func (slow) Assign(_ scheduler.View, _ int32, p scheduler.Plan) {
	time.Sleep(time.Millisecond)
	p.Launch(job.Task{}, 1, job.Map)
	p.Kill(job.Attempt{}, "")
}

func (s slow) Tick(v scheduler.View, p scheduler.Plan) { s.Assign(v, 1, p) }

// A slow machine takes 1 s for each order, without the policy's Observe.
type slowMachine struct{ p scheduler.Policy }

func (m slowMachine) Launch(job.Task, int32, job.TaskType) bool {
	time.Sleep(time.Second)
	m.p.Observe(nil, nil)
	return true
}

func (m slowMachine) Kill(job.Attempt, string) bool { return m.Launch(job.Task{}, 0, job.Map) }

// The costs of a policy exclude the machine's work for its orders.
func TestCostsExcludeTheMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &timed{wrapper: wrapper{&slow{}}}
		p.Assign(nil, 1, slowMachine{p})
		require.Equal(t, cost{decisions: 21 * time.Millisecond}, p.cost)
		p.Tick(nil, slowMachine{p})
		require.Equal(t, cost{decisions: 41 * time.Millisecond, ticks: 1, ticking: time.Millisecond,
			dearest: time.Millisecond}, p.cost)
	})
}
