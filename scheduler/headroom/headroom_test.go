package headroom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A view is a cluster of 16 GiB with one job.
type view struct {
	scheduler.View
	j   scheduler.Job
	now int64
	run []*scheduler.Attempt
}

func (v *view) Now() int64                { return v.now }
func (v *view) Cluster() scheduler.Totals { return scheduler.Totals{Memory: 16 << 10} }
func (v *view) Jobs() []int32             { return []int32{1} }
func (v *view) Job(int32) *scheduler.Job  { return &v.j }
func (v *view) Running(int32, job.TaskType, []*scheduler.Attempt) []*scheduler.Attempt {
	return v.run
}

type killed []job.Attempt

func (k *killed) Launch(job.Task, int32, job.TaskType) bool { return false }
func (k *killed) Kill(a job.Attempt, _ string) bool {
	*k = append(*k, a)
	return true
}

func guard(t *testing.T, pairs ...string) *Guard {
	c := conf.New()
	for i := 0; i < len(pairs); i += 2 {
		c.Set(pairs[i], pairs[i+1], "test")
	}
	g, err := New(c)
	require.NoError(t, err)
	return g
}

func newView() *view {
	return &view{now: 1000, j: scheduler.Job{Seq: 1, State: job.Running, Spec: &job.Spec{ReduceMemory: 1024},
		Tasks: [2]int32{10, 20}}}
}

func TestBoundedWhileMapsWait(t *testing.T) {
	g, v := guard(t), newView()
	v.j.Pending, v.j.Finished = [2]int32{1, 20}, [2]int32{9, 0}
	g.Reset(v)
	n := 0
	for g.Allows(v, &v.j) {
		n++
		v.j.Running[job.Reduce]++
		g.Observe(v, &event.Event{Type: event.AttemptStarted, Job: 1})
	}
	require.Equal(t, 8, n, "half of the memory")
	v.j.Pending[job.Map], v.j.Running[job.Map] = 0, 1
	g.Observe(v, &event.Event{Type: event.AttemptStarted, Job: 1})
	require.True(t, g.Allows(v, &v.j), "all maps run")
	require.Zero(t, g.taken)
}

func TestNoMoreThanMapsAreDone(t *testing.T) {
	g, v := guard(t), newView()
	v.j.Pending, v.j.Finished = [2]int32{9, 20}, [2]int32{1, 0}
	g.Reset(v)
	require.True(t, g.Allows(v, &v.j))
	v.j.Running[job.Reduce] = 1
	g.Observe(v, &event.Event{Job: 1})
	require.False(t, g.Allows(v, &v.j), "a tenth of 16 GiB holds one")
}

func TestReduceGivesWay(t *testing.T) {
	g, v := guard(t, conf.MapPatienceMS.Name, "5000"), newView()
	v.run = []*scheduler.Attempt{{ID: job.Attempt{N: 1}}, {ID: job.Attempt{N: 2}}}
	v.j.Pending, v.j.Running = [2]int32{1, 0}, [2]int32{0, 2}
	g.Reset(v)
	require.EqualValues(t, 6000, g.NextDeadline())
	var k killed
	g.Tick(v, &k)
	require.Empty(t, k, "not yet")
	v.now = 6000
	g.Tick(v, &k)
	require.Equal(t, killed{{N: 2}}, k, "the newest")
	require.EqualValues(t, 11_000, g.NextDeadline(), "and one more if that was not enough")
	v.j.Running[job.Map] = 1
	g.Observe(v, &event.Event{Job: 1})
	require.Zero(t, g.NextDeadline())
	v.j.State = job.Committing
	g.Observe(v, &event.Event{Job: 1})
	require.Empty(t, g.jobs)
}

// A stuck job waits from the time when it got stuck, whatever facts follow. If the job gets stuck
// again later, the wait starts again. A job that ends while it is stuck leaves nothing behind.
func TestTheEndOfAStuckJob(t *testing.T) {
	g, v := guard(t, conf.MapPatienceMS.Name, "5000"), newView()
	v.j.Pending, v.j.Running = [2]int32{1, 0}, [2]int32{0, 2}
	g.Reset(v)
	require.EqualValues(t, 2*1024, g.taken)
	v.now = 2000
	g.Observe(v, &event.Event{Job: 1})
	require.EqualValues(t, 6000, g.NextDeadline(), "since it got stuck")
	v.j.Running[job.Reduce] = 0
	g.Observe(v, &event.Event{Job: 1})
	require.Zero(t, g.NextDeadline(), "no reduce is in the way")
	require.Zero(t, g.taken)
	v.j.Running[job.Reduce], v.now = 1, 3000
	g.Observe(v, &event.Event{Job: 1})
	require.EqualValues(t, 8000, g.NextDeadline())
	v.j.State = job.Committing
	g.Observe(v, &event.Event{Job: 1})
	require.Zero(t, g.taken)
	require.Empty(t, g.stuck)
	require.Zero(t, g.NextDeadline())
}

// pair is a cluster in which jobs 1 and 2 are alike.
type pair struct{ *view }

func (pair) Jobs() []int32 { return []int32{1, 2} }
func (v pair) Job(seq int32) *scheduler.Job {
	j := v.j
	j.Seq = seq
	return &j
}

// chain is a Plan in which each kill calls a function.
type chain struct {
	killed
	then func()
}

func (c *chain) Kill(a job.Attempt, why string) bool {
	defer c.then()
	return c.killed.Kill(a, why)
}

// A kill can change other jobs. Tick kills nothing for a job that has ended or is no longer stuck.
func TestAKillThatHelpsTheNextJob(t *testing.T) {
	for name, help := range map[string]func(*scheduler.Job){
		"ended":     func(j *scheduler.Job) { j.State = job.Committing },
		"not stuck": func(j *scheduler.Job) { j.Running[job.Map] = 1 },
	} {
		g, v := guard(t, conf.MapPatienceMS.Name, "5000"), pair{newView()}
		v.run = []*scheduler.Attempt{{ID: job.Attempt{N: 1}}}
		v.j.Pending, v.j.Running = [2]int32{1, 0}, [2]int32{0, 1}
		g.Reset(v)
		v.now = 20_000
		c := &chain{then: func() {
			help(&v.j)
			g.Observe(v, &event.Event{Job: 2})
		}}
		g.Tick(v, c)
		require.Len(t, c.killed, 1, name)
	}
}

// The next deadline is that of the job that has waited longest.
func TestTheLongestWaitIsDueFirst(t *testing.T) {
	g := guard(t, conf.MapPatienceMS.Name, "5000")
	for seq, since := range map[int32]int64{1: 300, 2: 100, 3: 200} {
		g.jobs[seq] = &held{since: since}
	}
	g.stuck = []int32{1, 2, 3}
	require.EqualValues(t, 5100, g.NextDeadline())
}

func TestBadSettings(t *testing.T) {
	for key, value := range map[string]string{conf.ContainerReduceLimit.Name: "2", conf.MapPatienceMS.Name: "soon"} {
		c := conf.New()
		c.Set(key, value, "test")
		_, err := New(c)
		require.ErrorContains(t, err, key)
	}
}
