package ngm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// A bench is a cluster whose tasks run in containers.
type bench struct {
	*policytest.Hand
	seq uint64
}

func newBench(t *testing.T, p scheduler.Policy) *bench { return &bench{Hand: policytest.NewHand(t, p)} }

func (b *bench) tracker(mib, cores int32) int32 {
	b.seq++
	return b.Do(jobtracker.Input{Kind: jobtracker.InRegister,
		Register: &jobtracker.Register{Name: string(rune('a' + b.seq)), Host: "h", Incarnation: 1, Memory: mib,
			VCores: cores}}).Tracker
}

func (b *bench) submit(queue, user string, maps, mib, reduces int) int32 {
	s := &job.Spec{Queue: queue, User: user, MapAttempts: 4, ReduceAttempts: 4, MapMemory: int32(mib), ReduceMemory: 1024,
		MapVCores: 4, Reduces: int32(reduces), Splits: make([]job.SplitMeta, maps)}
	return b.Submit(s)
}

// beat sends a heartbeat of a tracker. The n oldest maps of a job have succeeded, as far as they
// ran there.
func (b *bench) beat(tracker, seq int32, n int) {
	b.seq++
	r := &heartbeat.Report{Tracker: tracker, Incarnation: 1, Seq: b.seq}
	for _, s := range b.AllJobs() {
		for k := range job.TaskType(2) {
			for i, a := range b.Running(s, k, nil) {
				state := job.AttemptRunning
				if s == seq && k == job.Map && i < n {
					state = job.AttemptSucceeded
				}
				if a.Tracker == tracker {
					r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: a.ID, State: state})
				}
			}
		}
	}
	b.Do(jobtracker.Input{Kind: jobtracker.InBeat, Report: r})
}

func (b *bench) running(seq int32) [2]int32 { return b.Job(seq).Running }

// MROrchestrator, section IV-C: containers of different sizes replace slots. Only memory counts,
// and cores do not.
func TestContainersBySize(t *testing.T) {
	b := newBench(t, build(t))
	x, y := b.submit("default", "u", 2, 3000, 0), b.submit("default", "u", 9, 500, 0)
	tt := b.tracker(8000, 1)
	b.beat(tt, 0, 0)
	require.Equal(t, [2]int32{2, 0}, b.running(x))
	require.Equal(t, [2]int32{4, 0}, b.running(y))
	require.EqualValues(t, 8000, b.Tracker(tt).UsedMemory)
	require.Equal(t, job.Container, b.Running(x, job.Map, nil)[0].Slot)
}

// LeafQueue: capacities are shares of the memory. If all queues have enough waiting tasks, each
// queue gets its capacity.
func TestCapacitiesOfMemory(t *testing.T) {
	c := conf.New()
	c.Set("mapred.queue.names", "a,b", "test")
	file := []byte("<configuration><property><name>mapred.capacity-scheduler.queue.a.capacity</name><value>75</value></" +
		"property></configuration>")
	p, err := New(scheduler.Setup{Conf: c,
		Files: []scheduler.File{{Key: conf.CapacityFile.Name, Path: "capacity-scheduler.xml", Data: file}}})
	require.NoError(t, err)
	b := newBench(t, p)
	x, y := b.submit("a", "u", 50, 1000, 0), b.submit("b", "v", 50, 500, 0)
	b.beat(b.tracker(16_000, 8), 0, 0)
	require.Equal(t, [2]int32{12, 0}, b.running(x))
	require.Equal(t, [2]int32{8, 0}, b.running(y))
}

// A queue can use free memory up to the user limit, even if its capacity is not a multiple of the
// container size.
func TestShareOfOddSize(t *testing.T) {
	c := conf.New()
	c.Set("mapred.queue.names", "a,b", "test")
	file := []byte(`<configuration>
<property><name>mapred.capacity-scheduler.queue.a.capacity</name><value>25</value></property>
<property><name>mapred.capacity-scheduler.queue.a.user-limit-factor</name><value>4</value></property>
</configuration>`)
	p, err := New(scheduler.Setup{Conf: c,
		Files: []scheduler.File{{Key: conf.CapacityFile.Name, Path: "capacity-scheduler.xml", Data: file}}})
	require.NoError(t, err)
	b := newBench(t, p)
	x := b.submit("a", "u", 50, 1000, 0)
	b.beat(b.tracker(10_000, 8), 0, 0)
	require.Equal(t, [2]int32{10, 0}, b.running(x))
}

// RMContainerAllocator: the number of reduces grows with the finished maps. While maps wait,
// reduces use at most half of the memory.
func TestReducesLeaveRoomForMaps(t *testing.T) {
	b := newBench(t, build(t))
	x := b.submit("default", "u", 20, 1024, 20)
	tt := b.tracker(8<<10, 8)
	b.beat(tt, 0, 0)
	require.Equal(t, [2]int32{8, 0}, b.running(x), "no map is done")
	b.beat(tt, x, 8)
	require.Equal(t, [2]int32{5, 3}, b.running(x), "8 of 20: 40% of 8 GiB")
	b.beat(tt, x, 5)
	require.Equal(t, [2]int32{4, 4}, b.running(x), "13 of 20, but half of the memory at most")
	b.beat(tt, x, 4)
	b.beat(tt, x, 4)
	require.Equal(t, [2]int32{0, 8}, b.running(x), "all maps are done")
}

// RMContainerAllocator.preemptReducesIfNeeded: if a map's output is lost, the map gets the memory
// of a reduce.
func TestReduceIsKilledForALostMap(t *testing.T) {
	b := newBench(t, build(t, "howdah.map.patience.ms", "5000"))
	x := b.submit("default", "u", 2, 1024, 4)
	keeps, lost := b.tracker(2048, 8), b.tracker(2048, 8)
	b.beat(lost, 0, 0)
	b.beat(lost, x, 2)
	b.beat(keeps, x, 0)
	require.Equal(t, [2]int32{0, 4}, b.running(x))
	b.Do(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: lost})
	require.Equal(t, [2]int32{0, 2}, b.running(x), "its maps are lost, and the reduces of the other tracker wait for them")
	b.beat(keeps, 0, 0)
	require.Equal(t, [2]int32{0, 2}, b.running(x))
	b.Wait(5000)
	require.Equal(t, [2]int32{0, 1}, b.running(x))
	b.beat(keeps, 0, 0)
	require.Equal(t, [2]int32{1, 1}, b.running(x))
}

// A new policy keeps the active jobs, even if waiting jobs come before them.
func TestKeepsActiveJobs(t *testing.T) {
	pairs := []string{"mapred.capacity-scheduler.maximum-system-jobs", "1",
		"mapred.capacity-scheduler.default-supports-priority", "true"}
	b := newBench(t, build(t, pairs...))
	x, y := b.submit("default", "u", 9, 1000, 0), b.submit("default", "u", 9, 1000, 0)
	b.Do(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: y, Priority: job.High})
	b.Do(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t, pairs...)})
	b.beat(b.tracker(4000, 4), 0, 0)
	require.Equal(t, [2]int32{4, 0}, b.running(x))
	require.Equal(t, [2]int32{0, 0}, b.running(y))
}

func TestTakesOver(t *testing.T) {
	b := newBench(t, build(t))
	x := b.submit("default", "u", 9, 1000, 0)
	b.Do(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t)})
	b.beat(b.tracker(4000, 4), 0, 0)
	require.Equal(t, [2]int32{4, 0}, b.running(x))
	require.True(t, b.Policy().(scheduler.ContainerUser).UsesContainers())
}
