package capacity

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// Hadoop's keys that the tests set.
const (
	namesKey         = "mapred.queue.names"
	systemJobsKey    = "mapred.capacity-scheduler.maximum-system-jobs"
	prioritiesKey    = "mapred.capacity-scheduler.default-supports-priority"
	activeTasksKey   = "mapred.capacity-scheduler.default-maximum-active-tasks-per-queue"
	activePerUserKey = "mapred.capacity-scheduler.default-maximum-active-tasks-per-user"
	acceptFactorKey  = "mapred.capacity-scheduler.default-init-accept-jobs-factor"
	perBeatKey       = "mapred.capacity-scheduler.maximum-tasks-per-heartbeat"
	afterKey         = "mapred.capacity-scheduler.maximum-tasks-after-offswitch"
	waitFactorKey    = "mapreduce.job.locality.wait.factor"
	multipleKey      = "howdah.capacity.assign.multiple"
)

const head, tail = "<configuration>\n", "</configuration>\n"

// file returns properties in the format of Hadoop's files, one per line.
func file(pairs ...string) []byte {
	s := head
	for i := 0; i < len(pairs); i += 2 {
		s += fmt.Sprintf("<property><name>%s</name><value>%s</value></property>\n", pairs[i], pairs[i+1])
	}
	return []byte(s + tail)
}

func setup(queues string, pairs ...string) scheduler.Setup {
	c := conf.New()
	c.Set("mapred.queue.names", queues, "mapred-site.xml")
	s := scheduler.Setup{Conf: c, Files: []scheduler.File{{Key: conf.CapacityFile.Name,
		Path: "/etc/capacity-scheduler.xml"}}}
	if len(pairs) > 0 {
		s.Files[0].Data = file(pairs...)
	}
	return s
}

func build(t testing.TB, s scheduler.Setup) *Policy {
	p, err := New(s)
	require.NoError(t, err)
	return p.(*Policy)
}

// three configures three queues: one whose users share it, one with priorities and a limit, and one
// without its own capacity.
func three(multiple string) scheduler.Setup {
	s := setup("default,prod,test",
		queuePrefix+"prod.capacity", "50", queuePrefix+"prod.minimum-user-limit-percent", "25",
		queuePrefix+"prod.user-limit-factor", "2",
		queuePrefix+"test.capacity", "20", queuePrefix+"test.maximum-capacity", "60",
		queuePrefix+"test.supports-priority", "true", queuePrefix+"default.supports-priority", "true",
		systemJobsKey, "8")
	s.Conf.Set(multipleKey, multiple, "test")
	return s
}

func options(t testing.TB, s scheduler.Setup) policytest.Options {
	fresh := func() scheduler.Policy { return build(t, s) }
	return policytest.Options{
		New: fresh, Rounds: 40, Cases: 100, Starves: "a queue is first in, first out; priorities and " +
			"limits of users come before",
		Fits: func(v scheduler.View, j *scheduler.Job, k job.TaskType, tt *scheduler.Tracker) bool {
			p := v.(*jobtracker.Machine).Policy().(interface {
				fits(scheduler.View, *scheduler.Job, job.TaskType, *scheduler.Tracker) bool
			})
			return p.fits(v, j, k, tt)
		},
		Check: func(v scheduler.View, p scheduler.Policy) error { return p.(*Policy).check(v) },
		Job: func(r *rand.Rand, s *job.Spec) {
			s.Queue = []string{"default", "prod", "test", "gone"}[r.IntN(4)]
			s.MapMemory, s.ReduceMemory = []int32{0, 512, 1500}[r.IntN(3)], []int32{0, 1024, 2048}[r.IntN(3)]
		},
		Machine: func(c *jobtracker.Config) { c.SlotMemory = [2]int32{1024, 1024} },
		Slots:   2,
	}
}

// fits reports whether the scheduler's own limits permit one more task of a job and the tracker is
// not reserved.
func (p *Policy) fits(v scheduler.View, j *scheduler.Job, k job.TaskType, t *scheduler.Tracker) bool {
	x := p.jobs.Get(j.Seq)
	for l := range p.lanes {
		for _, typ := range p.lanes[l].types {
			if typ != k {
				continue
			}
			_, held := p.holder(t.Handle, l)
			return x.active && !held && x.mayTake(l, p.lanes[l].cost(j, k))
		}
	}
	return false
}

// check returns an error if a reservation is for a job or a tracker that is gone.
func (p *Policy) check(v scheduler.View) error {
	for _, r := range p.held {
		if p.jobs.Get(r.job.seq) != r.job {
			return fmt.Errorf("tracker %d is held for job %d, which does not run", r.tracker, r.job.seq)
		}
		if v.Tracker(r.tracker) == nil {
			return fmt.Errorf("tracker %d is held and is gone", r.tracker)
		}
	}
	return nil
}

func TestConformance(t *testing.T) {
	for _, multiple := range []string{"true", "false"} {
		t.Run("multiple="+multiple, func(t *testing.T) { policytest.Run(t, options(t, three(multiple))) })
	}
	t.Run("one queue", func(t *testing.T) { policytest.Run(t, options(t, setup("default"))) })
}

func TestNoGarbage(t *testing.T) { policytest.Cost(t, options(t, three("true"))) }

func BenchmarkBeat(b *testing.B) { policytest.Bench(b, options(b, setup("default,prod,test"))) }
