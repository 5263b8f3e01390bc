//go:build integration

package integration

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// needed returns the minimum numbers of map and reduce slots with which a job meets its deadline
// (SIM section V-A), as MinEDF computed them when the job arrived.
func needed(t *testing.T, m *jobtracker.Machine, j *scheduler.Job) [2]int32 {
	text, _ := j.Spec.Get(conf.JobProfile.Name)
	p, err := estimate.Parse(text)
	require.NoError(t, err)
	return p.MinSlots(estimate.Average, j.Tasks, float64(j.Spec.Deadline-j.Submit), m.Cluster().Slots)
}

// noMoreThanNeeded checks that MinEDF orders jobs by deadline and assigns no job more slots than it
// needs, even if slots stay idle.
func noMoreThanNeeded(t *testing.T, facts []event.Event) {
	limited := 0
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		j, k := m.Job(e.Job), e.Attempt.Type
		if j.Spec.Deadline == 0 { // the plug
			return
		}
		n := needed(t, m, j)
		require.Less(t, j.Running[k], n[k], "job %d has all the %v slots that it needs", e.Job, k)
		if n[k] < j.Tasks[k] {
			limited++
		}
		for _, seq := range m.Jobs() {
			if o := m.Job(seq); sooner(o, j) && o.Wants(k) {
				require.GreaterOrEqual(t, o.Running[k], needed(t, m, o)[k],
					"job %d has an earlier deadline than job %d and lacks slots", seq, e.Job)
			}
		}
	})
	require.Greater(t, limited, 20, "hardly any job was held back")
}

// neededFirst checks that MinEDF-WC first assigns the needed slots by deadline, and then assigns
// the other slots by deadline.
func neededFirst(t *testing.T, facts []event.Event) {
	spare := 0
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		j, k := m.Job(e.Job), e.Attempt.Type
		if j.Spec.Deadline == 0 {
			return
		}
		lacks := func(j *scheduler.Job) bool { return j.Running[k] < needed(t, m, j)[k] }
		if !lacks(j) {
			spare++
		}
		for _, seq := range m.Jobs() {
			o := m.Job(seq)
			if o == j || !o.Wants(k) || o.Spec.Deadline == 0 {
				continue
			}
			require.False(t, lacks(o) && !lacks(j), "job %d lacks %v slots and job %d got a spare one", seq, k, e.Job)
			require.False(t, lacks(o) == lacks(j) && sooner(o, j), "job %d has an earlier deadline than job %d", seq, e.Job)
		}
	})
	require.NotZero(t, spare, "nothing was left over")
}

// goalsCluster holds settings that make the placements of the adaptive schedulers predictable.
// Cycles are short, the schedulers expect tasks to take as long as the profile says, and a slot stays
// idle unless a placement assigns it to a job.
var goalsCluster = []string{"howdah.adaptive.cycle=20", "howdah.adaptive.task.length=profile",
	"howdah.adaptive.surplus=min"}

const (
	longMap = 400_000 // in ms, as in the profile
	nearBy  = 300_000 // ms
)

// hopelessOrFar returns the settings of run n, which include a goal. Every third run has a near
// goal, which passes before a map can finish according to the profile. The other goals are so far
// away that one slot per job is enough. The order of goals differs from the order of submission. No
// far goal passes while the test runs.
//
// Each scheduler ranks these jobs differently. A near job needs all of its maps to run at the same
// time. Adaptive maximizes the lowest happiness, so every job gets one slot before any job gets a
// second slot. Reverse-Adaptive takes into account that the far jobs can wait. minmiss gives up on
// the near jobs.
func hopelessOrFar(n int) []string {
	goal := fmt.Sprintf("+%dms", nearBy+n)
	if n%3 != 0 {
		goal = fmt.Sprintf("+%dh", 100+(n*7)%mixJobs)
	}
	return []string{"mapreduce.job.deadline=" + goal, "mapreduce.job.reduce.slowstart.completedmaps=1",
		fmt.Sprintf("howdah.job.profile=map=%d/%d,first=10,typical=10,reduce=10/10", longMap, longMap)}
}

// isNear reports whether a job has a near goal.
func isNear(j *scheduler.Job) bool { return j.Spec.Deadline > 0 && j.Spec.Deadline < j.Submit+longMap }

func isFar(j *scheduler.Job) bool { return j.Spec.Deadline > 0 && !isNear(j) }

// eachMap calls see before each launch of a map for a job with a goal. jobs holds the jobs that
// started long enough ago to be in every later placement. The demand of these jobs never grows
// again.
func eachMap(t *testing.T, facts []event.Event,
	see func(m *jobtracker.Machine, j *scheduler.Job, jobs []*scheduler.Job)) {
	const placed = 1000 // ms
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		j := m.Job(e.Job)
		if e.Attempt.Type != job.Map || j.Spec.Deadline == 0 {
			return
		}
		var jobs []*scheduler.Job
		for _, seq := range m.Jobs() {
			if o := m.Job(seq); o.Start+placed < e.Time {
				jobs = append(jobs, o)
			}
		}
		see(m, j, jobs)
	})
}

// mapsOf returns the number of maps that a job could run now. It returns 0 for a job without
// pending maps, because placements do not assign its running maps again.
func mapsOf(j *scheduler.Job) int32 {
	if j.Pending[job.Map] == 0 {
		return 0
	}
	return j.Running[job.Map] + j.Pending[job.Map]
}

// eachSomeFirst checks Adaptive. A job with a far goal never has more than the one slot that it
// needs. No job gets a second slot while there are at least as many jobs as slots.
func eachSomeFirst(t *testing.T, facts []event.Event) {
	contended := 0
	eachMap(t, facts, func(m *jobtracker.Machine, j *scheduler.Job, jobs []*scheduler.Job) {
		if isFar(j) {
			require.Zero(t, j.Running[job.Map], "job %d has a slot and needs no other one", j.Seq)
		}
		if evenly(t, m, j, jobs) && isFar(j) && slices.ContainsFunc(jobs, short) {
			contended++
		}
	})
	t.Logf("maps of far goals started while near ones were short of slots: %d", contended)
	require.NotZero(t, contended, "there was hardly any choice to make")
}

// short reports whether a job with a near goal has a slot and needs more slots.
func short(j *scheduler.Job) bool {
	return isNear(j) && j.Running[job.Map] > 0 && j.Pending[job.Map] > 0
}

// nearGoalsFirst checks Reverse-Adaptive. A job with a far goal gets no slots while jobs with near
// goals need all of them. The jobs with near goals share the slots as evenly as possible.
func nearGoalsFirst(t *testing.T, facts []event.Event) {
	inOrder(t, facts, func(o, j *scheduler.Job) bool { return isNear(o) && isFar(j) })
	shared := 0
	eachMap(t, facts, func(m *jobtracker.Machine, j *scheduler.Job, jobs []*scheduler.Job) {
		jobs = slices.DeleteFunc(jobs, isFar)
		if isNear(j) && evenly(t, m, j, jobs) {
			shared++
		}
	})
	t.Logf("maps started while jobs with near goals shared the slots: %d", shared)
	require.Greater(t, shared, 5, "the slots were hardly shared")
}

// evenly reports whether the number of jobs that need slots is at least the number of slots. In
// that case it also checks that j does not get a second slot.
func evenly(t *testing.T, m *jobtracker.Machine, j *scheduler.Job, jobs []*scheduler.Job) bool {
	sharing, slots := 0, int(m.Cluster().Slots[job.Map])
	for _, o := range jobs {
		if mapsOf(o) > 0 {
			sharing++
		}
	}
	if sharing < slots {
		return false
	}
	require.Zero(t, j.Running[job.Map], "job %d gets a second slot while %d jobs share %d", j.Seq, sharing, slots)
	return true
}

// hopelessLast checks minmiss. Jobs that can reach their goals run first, in the order of their
// goals.
func hopelessLast(t *testing.T, facts []event.Event) {
	inOrder(t, facts, func(o, j *scheduler.Job) bool { return isFar(o) && (isNear(j) || isFar(j) && sooner(o, j)) })
}

// inOrder checks that a job gets no map slot while jobs with precedence could use all of the slots.
// before reports whether o has precedence over j.
func inOrder(t *testing.T, facts []event.Event, before func(o, j *scheduler.Job) bool) {
	contended := 0
	eachMap(t, facts, func(m *jobtracker.Machine, j *scheduler.Job, jobs []*scheduler.Job) {
		ahead, waits := int32(0), false
		for _, o := range jobs {
			if before(o, j) {
				ahead += mapsOf(o)
			}
			waits = waits || before(j, o) && o.Wants(job.Map)
		}
		slots := m.Cluster().Slots[job.Map]
		require.Less(t, ahead, slots, "job %d gets one of %d slots though %d maps come before it", j.Seq, slots, ahead)
		if waits {
			contended++
		}
	})
	t.Logf("maps started while jobs that come later waited: %d", contended)
	require.Greater(t, contended, 10, "there was hardly any choice to make")
}
