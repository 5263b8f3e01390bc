//go:build integration

package integration

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

var pools = []string{"steel", "wool"}

func inPool(n int) []string { return []string{"mapred.fairscheduler.pool=" + pools[n%2]} }

func inQueue(n int) []string { return []string{"mapreduce.job.queuename=" + pools[n%2]} }

const allocations = `<?xml version="1.0"?>
<allocations>
  <pool name="steel"><weight>3.0</weight></pool>
  <pool name="wool"><weight>1.0</weight></pool>
</allocations>
`

const capacities = `<?xml version="1.0"?>
<configuration>
  <property><name>mapred.capacity-scheduler.queue.default.capacity</name><value>1</value></property>
  <property><name>mapred.capacity-scheduler.queue.steel.capacity</name><value>74</value></property>
  <property><name>mapred.capacity-scheduler.queue.wool.capacity</name><value>25</value></property>
  <property><name>mapred.capacity-scheduler.default-user-limit-factor</name><value>10</value></property>
</configuration>
`

var fairCluster = []string{"mapred.fairscheduler.allocation.file=@DIR@/pools.xml",
	"mapred.fairscheduler.locality.delay=0"}

var (
	fairFiles   = map[string]string{"pools.xml": allocations}
	poolWeights = func(job.TaskType) map[string]float64 { return map[string]float64{"steel": 3, "wool": 1} }
	// wholeSlots returns the queues' capacities in whole slots, out of six map slots and four reduce
	// slots.
	wholeSlots = func(k job.TaskType) map[string]float64 {
		if k == job.Map {
			return map[string]float64{"steel": 4, "wool": 1}
		}
		return map[string]float64{"steel": 2, "wool": 1}
	}
)

// byDeadline returns settings with deadlines. Their order differs from the order of submission. All
// deadlines are late enough for the mix to finish.
func byDeadline(n int) []string {
	return []string{fmt.Sprintf("mapreduce.job.deadline=+%ds", 100+(n*7)%mixJobs*10), "howdah.job.profile=" + profile}
}

// profile is the profile of every job of the mix. Its task times are short relative to the deadlines,
// so the scheduler plans few slots for most jobs.
const profile = "map=8000/9000,first=2000,typical=2000,reduce=5000/6000"

// apart adds settings that delay reduces until all maps of their job have finished, so that the
// phases need slots at different times.
func apart(more func(n int) []string) func(n int) []string {
	return func(n int) []string {
		set := []string{"mapreduce.job.reduce.slowstart.completedmaps=1"}
		if more != nil {
			set = append(set, more(n)...)
		}
		return set
	}
}

// relations holds the relation of each policy.
var relations = map[string]relation{
	"fifo":      {check: all(inOwnSlots, firstComesFirst(bySubmission))},
	"fifo-dhfs": {job: apart(nil), check: all(borrowsWhenPhaseSpares, firstComesFirst(bySubmission))},
	"fair": {cluster: fairCluster, files: fairFiles, job: inPool,
		check: all(inOwnSlots, neediestFirst(poolOf, poolWeights))},
	"fair-deficit": {cluster: append([]string{"mapred.fairscheduler.update.interval=20"}, fairCluster...),
		files: fairFiles, job: inPool, check: all(inOwnSlots, largestDeficitFirst, getsMore(poolOf, "steel", "wool"))},
	"pi-dhfs": {cluster: fairCluster, files: fairFiles, job: apart(inPool),
		check: all(borrowsWhenPhaseSpares, neediestFirst(poolOf, poolWeights))},
	"pd-dhfs": {cluster: fairCluster, files: fairFiles, job: apart(inPool),
		check: all(borrowsForPool, neediestOfBothFirst)},
	"capacity": {
		cluster: []string{"mapred.queue.names=default,steel,wool", "howdah.capacity.file=@DIR@/capacity-scheduler.xml"},
		files:   map[string]string{"capacity-scheduler.xml": capacities},
		job:     inQueue,
		check:   all(inOwnSlots, neediestFirst(queueOf, wholeSlots)),
	},
	"maxedf":    {job: byDeadline, check: firstComesFirst(sooner)},
	"minedf":    {job: byDeadline, check: noMoreThanNeeded},
	"minedf-wc": {job: byDeadline, check: neededFirst},

	"drf": {
		cluster: []string{"mapred.queue.names=default,steel,wool", "howdah.drf.share.by=queue", "howdah.drf.hold=false"},
		job: func(n int) []string {
			needs := []string{"mapreduce.map.memory.mb=1024", "mapreduce.map.cpu.vcores=2"}
			if n%2 == 1 {
				needs = []string{"mapreduce.map.memory.mb=2048", "mapreduce.map.cpu.vcores=1"}
			}
			return append(needs, inQueue(n)...)
		},
		check: all(inContainers, inCores, smallestShareFirst),
	},
	"ngm": {
		cluster: []string{"mapred.queue.names=default,steel,wool", "howdah.capacity.file=@DIR@/capacity-scheduler.xml"},
		files:   map[string]string{"capacity-scheduler.xml": capacities},
		job:     inQueue,
		check:   all(inContainers, leastUsedQueueFirst),
	},

	"adaptive":         {cluster: goalsCluster, job: hopelessOrFar, check: eachSomeFirst},
	"reverse-adaptive": {cluster: goalsCluster, job: hopelessOrFar, check: nearGoalsFirst},
	"minmiss":          {cluster: goalsCluster, job: hopelessOrFar, check: hopelessLast},
}

// sooner reports whether a has an earlier deadline than b. It returns false if a or b has none.
func sooner(a, b *scheduler.Job) bool {
	return a.Spec.Deadline > 0 && a.Spec.Deadline < b.Spec.Deadline
}

// bySubmission reports whether fifo orders a before b: by priority, and then by time of submission.
func bySubmission(a, b *scheduler.Job) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return a.Submit < b.Submit || a.Submit == b.Submit && a.Seq < b.Seq
}

// firstComesFirst checks that no job gets a slot while a job with precedence needs one.
func firstComesFirst(before func(a, b *scheduler.Job) bool) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		contended := 0
		replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
			for _, seq := range m.Jobs() {
				o := m.Job(seq)
				if seq == e.Job || !o.Wants(e.Attempt.Type) {
					continue
				}
				contended++
				require.False(t, before(o, m.Job(e.Job)), "%v of job %d was launched though job %d is before it and has %v waiting",
					e.Attempt.Type, e.Job, seq, o.Pending)
			}
		})
		require.Greater(t, contended, 50, "there was hardly any choice to make")
	}
}

func queueOf(j *scheduler.Job) string { return j.Spec.Queue }

// poolOf returns the pool of a job, which is the user unless the job selects one.
func poolOf(j *scheduler.Job) string {
	if p, ok := j.Spec.Get("mapred.fairscheduler.pool"); ok {
		return p
	}
	return j.Spec.User
}

// neediestFirst checks that no pool gets a slot while another pool with pending tasks has fewer
// slots relative to its weight.
func neediestFirst(of func(*scheduler.Job) string, weightsOf func(job.TaskType) map[string]float64,
) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		contended := 0
		replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
			running, wants := map[string]float64{}, map[string]bool{}
			for _, seq := range m.Jobs() {
				j := m.Job(seq)
				running[of(j)] += float64(j.Running[e.Attempt.Type])
				wants[of(j)] = wants[of(j)] || j.Wants(e.Attempt.Type)
			}
			mine, weights := of(m.Job(e.Job)), weightsOf(e.Attempt.Type)
			for other, w := range weights {
				if other == mine || !wants[other] || weights[mine] == 0 {
					continue
				}
				contended++
				require.LessOrEqual(t, running[mine]/weights[mine], running[other]/w, "%s got a slot for a %v though %s waits: %v",
					mine, e.Attempt.Type, other, running)
			}
		})
		require.Greater(t, contended, 20, "there was hardly any choice to make")
	}
}

// getsMore checks that the pool named by more starts over 1.5 times as many maps as the pool named by
// less while both have pending maps. It stops counting when the pool named by more first has no
// pending maps, because grep's second jobs arrive later and have no earlier claims.
func getsMore(of func(*scheduler.Job) string, more, less string) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		given, over := map[string]int{}, false
		replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
			waits := map[string]bool{}
			for _, seq := range m.Jobs() {
				j := m.Job(seq)
				waits[of(j)] = waits[of(j)] || j.Wants(job.Map)
			}
			over = over || given[more] > 0 && !waits[more]
			if !over && e.Attempt.Type == job.Map && waits[more] && waits[less] {
				given[of(m.Job(e.Job))]++
			}
		})
		t.Logf("maps started while both waited: %v", given)
		require.Greater(t, given[more], 20, "there was hardly any choice to make")
		require.Greater(t, 2*given[more], 3*given[less])
	}
}

// all returns a check that runs the given checks one after another.
func all(checks ...func(t *testing.T, facts []event.Event)) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		for _, check := range checks {
			check(t, facts)
		}
	}
}
