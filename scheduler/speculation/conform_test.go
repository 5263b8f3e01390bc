package speculation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/scheduler/policytest"
)

func TestNames(t *testing.T) {
	require.Equal(t, []string{"hadoop1", "late", "mrv2", "none"}, Names())
	p, err := New("", setup(t))
	require.NoError(t, err)
	require.IsType(t, hadoop1{}, p.(*Policy).rule)
	p, err = New("None", setup(t))
	require.NoError(t, err)
	require.Nil(t, p)
	_, err = New("latte", setup(t))
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "did you mean late?")
}

func TestBadSettings(t *testing.T) {
	for key, value := range map[string]string{conf.JobSpeculativeSpeculativeCap.Name: "1.5",
		conf.SpeculationLagMS.Name: "-1", conf.SpeculationLateThreshold.Name: "median",
		conf.SpeculationLatePercentile.Name:         "101",
		conf.JobSpeculativeMinimumAllowedTasks.Name: "some", conf.JobSpeculativeRetryAfterNoSpeculate.Name: "0"} {
		c := conf.New()
		c.Set(key, value, "site.xml")
		_, err := New("late", scheduler.Setup{Conf: c})
		require.True(t, failure.Is(err, failure.Config), key)
		require.ErrorContains(t, err, key)
		require.ErrorContains(t, err, "site.xml")
		require.Error(t, Check(c))
	}
	require.NoError(t, Check(conf.New()))
}

// straggling returns a cluster of four trackers, one of which is ten times slower than the others.
func straggling(t require.TestingT, p scheduler.Policy) *cluster {
	c := newCluster(t, p)
	for range 3 {
		c.join(10_000, 2, 2)
	}
	c.join(1_000, 2, 2)
	return c
}

func TestSlowNode(t *testing.T) {
	without := straggling(t, nil)
	healthy := without.until(without.submit(16, 4), 5000)
	require.Greater(t, healthy, 1000)
	each(t, func(t *testing.T, name string) {
		c := straggling(t, speculator(t, name))
		seq := c.submit(16, 4)
		took := c.until(seq, 5000)
		require.Less(t, took, healthy/2)
		require.NotEmpty(t, c.twins(seq))
		require.Equal(t, job.Succeeded, c.m.Job(seq).State)
		winners := 0
		for _, a := range c.attempts(seq) {
			if a.Winner {
				winners++
				require.Equal(t, job.AttemptSucceeded, a.State)
				continue
			}
			require.Equal(t, job.AttemptKilled, a.State, "the loser is killed, not failed")
		}
		require.Equal(t, 20, winners)
	})
}

// hadoop1 and late do not judge an attempt before the lag has passed.
func TestLag(t *testing.T) {
	for _, name := range []string{"hadoop1", "late"} {
		for _, lag := range []string{"60000", "5000"} {
			c := straggling(t, speculator(t, name, conf.SpeculationLagMS.Name, lag))
			seq := c.submit(8, 0)
			c.until(seq, 5000)
			twins := c.twins(seq)
			require.NotEmpty(t, twins)
			want := int64(60_000)
			if lag == "5000" {
				want = 5_000
			}
			for _, a := range twins {
				id := a.ID
				id.N = 0
				require.GreaterOrEqual(t, a.Start-c.m.Attempt(id).Start, want)
			}
		}
	}
}

// If all tasks run at the same pace, no task gets a second attempt.
func TestHealthyCluster(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		c := newCluster(t, speculator(t, name))
		for range 4 {
			c.join(10_000, 2, 2)
		}
		seq := c.submit(16, 4)
		c.until(seq, 1000)
		require.Empty(t, c.twins(seq))
	})
}

func TestJobThatForbidsIt(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		c := straggling(t, speculator(t, name))
		seq := c.submit(8, 4, func(s *job.Spec) { s.MapSpeculative = false })
		c.until(seq, 5000)
		for _, a := range c.twins(seq) {
			require.Equal(t, job.Reduce, a.ID.Type)
		}
		seq = c.submit(8, 4, func(s *job.Spec) { s.MapSpeculative, s.ReduceSpeculative = false, false })
		c.until(seq, 5000)
		require.Empty(t, c.twins(seq))
	})
}

// Pending tasks start before second attempts.
func TestWaitingTasksFirst(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		c := straggling(t, speculator(t, name))
		seq := c.submit(40, 0)
		for !c.m.Job(seq).State.Terminal() {
			before := len(c.twins(seq))
			waiting := c.m.Job(seq).Pending[job.Map]
			c.second()
			require.False(t, waiting > 8 && len(c.twins(seq)) > before, "%d maps wait", waiting)
		}
		require.NotEmpty(t, c.twins(seq))
	})
}

// A world is a random cluster with paces, slots, and jobs.
type world struct {
	paces []int32
	slots [][]int32
	jobs  [][2]int
	lag   string
}

func drawWorld(t *rapid.T) (w world) {
	for range rapid.IntRange(2, 6).Draw(t, "trackers") {
		w.paces = append(w.paces, rapid.SampledFrom([]int32{20_000, 50_000, 200_000}).Draw(t, "pace"))
		w.slots = append(w.slots, []int32{rapid.Int32Range(1, 3).Draw(t, "maps"), rapid.Int32Range(1, 2).Draw(t, "reduces")})
	}
	for range rapid.IntRange(1, 3).Draw(t, "jobs") {
		w.jobs = append(w.jobs, [2]int{rapid.IntRange(1, 10).Draw(t, "maps"), rapid.IntRange(0, 4).Draw(t, "reduces")})
	}
	w.lag = rapid.SampledFrom([]string{"0", "3000", "20000"}).Draw(t, "lag")
	return w
}

// run simulates a world until all jobs have ended. Every second it checks the guarantees of all
// speculators.
func (w world) run(t *rapid.T, name string, disturb func(*cluster, int)) *cluster {
	c := newCluster(t, speculator(t, name, conf.SpeculationLagMS.Name, w.lag))
	for i, pace := range w.paces {
		c.join(pace, w.slots[i]...)
	}
	for _, j := range w.jobs {
		c.submit(j[0], j[1])
	}
	for s := 0; len(c.m.Jobs()) > 0; s++ {
		if s > 5000 {
			t.Fatalf("jobs %v have not ended", c.m.Jobs())
		}
		if disturb != nil {
			disturb(c, s)
		}
		c.second()
		w.check(t, c)
	}
	return c
}

func (w world) check(t *rapid.T, c *cluster) {
	for _, seq := range c.m.AllJobs() {
		live, on := map[job.Task]int{}, map[job.Task]map[int32]bool{}
		for _, a := range c.attempts(seq) {
			if on[a.ID.Task] == nil {
				on[a.ID.Task] = map[int32]bool{}
			}
			if on[a.ID.Task][a.Tracker] {
				t.Fatalf("%v is on tracker %d for the second time", a.ID, a.Tracker)
			}
			on[a.ID.Task][a.Tracker] = true
			if !a.State.Terminal() {
				live[a.ID.Task]++
			}
			if live[a.ID.Task] > 2 {
				t.Fatalf("%v has %d attempts at once", a.ID.Task, live[a.ID.Task])
			}
		}
	}
	if p, ok := c.m.Speculator().(*Policy); ok {
		checkIndex(t, c.m, p)
	}
}

// checkIndex fails the test if the updated index differs from a rebuilt one.
func checkIndex(t *rapid.T, m *jobtracker.Machine, p *Policy) {
	anew := newPolicy(p.rule, p.conf, p.set)
	anew.Reset(m)
	if p.twins != anew.twins || len(p.phases) != len(anew.phases) || len(p.due) != len(anew.due) {
		t.Fatalf("the index has %v twins, %d phases, %d due; rebuilt %v, %d, %d", p.twins, len(p.phases), len(p.due),
			anew.twins, len(anew.phases), len(anew.due))
	}
	for key, f := range p.phases {
		g := anew.phases[key]
		if g == nil || len(f.running) != len(g.running) || f.twins != g.twins || f.done.count != g.done.count ||
			f.done.sum != g.done.sum {
			t.Fatalf("%v differs from the rebuilt index", key)
		}
		for index := range g.at {
			if _, ok := f.at[index]; !ok {
				t.Fatalf("%v lacks task %d", key, index)
			}
		}
	}
}

func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		t.Run("legal", func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { drawWorld(t).run(t, name, nil) })
		})
		t.Run("state may be lost", func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				every := rapid.IntRange(1, 10).Draw(t, "every")
				drawWorld(t).run(t, name, func(c *cluster, s int) {
					switch {
					case s%every > 0:
					case s%2 == 0:
						c.m.Speculator().Reset(c.m)
					default:
						c.m.SetSpeculator(speculator(t, name))
					}
				})
			})
		})
		t.Run("deterministic", func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := drawWorld(t)
				if first, again := w.run(t, name, nil).hash.String(), w.run(t, name, nil).hash.String(); first != again {
					t.Fatal("the same inputs gave other facts")
				}
			})
		})
	})
}

// A speculator that runs with a scheduler breaks none of the scheduler's guarantees.
func TestBesideAScheduler(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		policytest.Run(t, policytest.Options{
			New: func() scheduler.Policy {
				p, err := fifo.New(setup(t))
				require.NoError(t, err)
				return p
			},
			Speculator: func() scheduler.Policy { return speculator(t, name, conf.SpeculationLagMS.Name, "1000") },
			Cases:      100,
			Starves:    "a job of high priority comes before all others",
		})
	})
}

// With slow tasks in hundreds of jobs, a heartbeat does not allocate.
func TestBeatIsCheap(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		c, p := manyJobs(t, name)
		idle := c.trackers[len(c.trackers)-1].report.Tracker
		require.Zero(t, testing.AllocsPerRun(100, func() { p.Assign(c.m, idle, refusing{}) }))
	})
}

func BenchmarkBeat(b *testing.B) {
	for _, name := range []string{"hadoop1", "late", "mrv2"} {
		b.Run(name, func(b *testing.B) {
			c, p := manyJobs(b, name)
			idle := c.trackers[len(c.trackers)-1].report.Tracker
			for b.Loop() {
				p.Assign(c.m, idle, refusing{})
			}
		})
	}
}

// manyJobs returns a cluster that runs 1,000 jobs, and a speculator that has found slow tasks in more
// than 400 of them. The last tracker is idle.
func manyJobs(t require.TestingT, name string) (*cluster, *Policy) {
	c := newCluster(t, nil)
	for i := range 1500 {
		c.join([]int32{1_000, 50_000}[i%2], 2, 0)
	}
	for range 1000 {
		c.submit(3, 0)
	}
	for range 22 {
		c.second()
	}
	p := speculator(t, name, conf.SpeculationLagMS.Name, "1000")
	p.Reset(c.m)
	c.now += 1000
	c.join(0, 2, 0)
	for at := p.NextDeadline(); at <= c.now; at = p.NextDeadline() {
		p.Tick(c.m, refusing{})
	}
	require.Greater(t, len(p.hot), 400)
	return c, p
}

// A refusing plan rejects every launch.
type refusing struct{}

func (refusing) Launch(job.Task, int32, job.TaskType) bool { return false }
func (refusing) Kill(job.Attempt, string) bool             { return false }

// A heartbeat considers a limited number of slow tasks, and the next heartbeat continues after them.
// Several heartbeats together consider all slow tasks.
func TestLooksPerBeat(t *testing.T) {
	c, p := manyJobs(t, "hadoop1")
	idle := c.trackers[len(c.trackers)-1].report.Tracker
	seen := map[job.Task]bool{}
	for range 15 {
		asked := counting{}
		p.Assign(c.m, idle, asked)
		require.True(t, len(asked) > 0 && len(asked) <= looksPerBeat+2, "%d; all tasks of one job are looked at together",
			len(asked))
		for task := range asked {
			seen[task] = true
		}
	}
	all := 0
	for _, f := range p.hot {
		all += len(f.candidates)
	}
	require.Equal(t, all, len(seen))
}

// A counting plan records requests and rejects them.
type counting map[job.Task]bool

func (n counting) Launch(t job.Task, _ int32, _ job.TaskType) bool {
	n[t] = true
	return false
}
func (counting) Kill(job.Attempt, string) bool { return false }

// The speculator does not judge the tasks of a phase before the oldest one could be slow, or while
// others are pending.
func TestNothingIsDueTooEarly(t *testing.T) {
	p := speculator(t, "late", conf.SpeculationLagMS.Name, "7500")
	c := newCluster(t, p)
	c.join(10_000, 1, 0)
	require.Zero(t, p.NextDeadline())
	seq := c.submit(2, 0)
	c.second()
	require.Zero(t, p.NextDeadline(), "one map waits")
	c.join(10_000, 1, 0)
	c.second()
	c.second()
	oldest := c.m.Attempt(job.Attempt{Task: job.Task{Job: seq}}).Start
	require.EqualValues(t, oldest+8000, p.NextDeadline(), "rounded up to a whole second")
	p.Reset(c.m)
	require.EqualValues(t, oldest+8000, p.NextDeadline())
}

// An attempt with a duration of zero still has a rate.
func TestNoTime(t *testing.T) {
	f := &phase{}
	f.succeeded(1, 0)
	require.Equal(t, []float64{1000}, f.done.rates(nil))
	require.EqualValues(t, 1, f.done.mean())
}
