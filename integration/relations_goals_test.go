//go:build integration

package integration

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// needed is the fewest slots that meet a job's deadline (SIM section V-A), as MinEDF has reckoned at its arrival.
func needed(t *testing.T, m *jobtracker.Machine, j *scheduler.Job) [2]int32 {
	text, _ := j.Spec.Get(estimate.Key)
	p, err := estimate.Parse(text)
	require.NoError(t, err)
	return p.MinSlots(estimate.Average, j.Tasks, float64(j.Spec.Deadline-j.Submit), m.Cluster().Slots)
}

// noMoreThanNeeded: MinEDF leaves slots idle rather than give a job more than it needs, and takes jobs by deadline.
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
				require.GreaterOrEqual(t, o.Running[k], needed(t, m, o)[k], "job %d has an earlier deadline than job %d and lacks slots", seq, e.Job)
			}
		}
	})
	require.Greater(t, limited, 20, "hardly any job was held back")
}

// neededFirst: MinEDF-WC gives what is needed first, by deadline, and what is left over then, by deadline.
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

// goalsCluster makes what the placements of the adaptive schedulers come to known: cycles are short, a task is as long as the profile
// says, and a slot that no placement gave to a job stays idle.
var goalsCluster = []string{"howdah.adaptive.cycle=20", "howdah.adaptive.task.length=profile", "howdah.adaptive.surplus=min"}

const (
	longMap = 400_000 // ms, by the profile
	nearBy  = 300_000 // ms
)

// hopelessOrFar gives every third run a goal that is nearer than a map is long, and the others goals so far
// away that a slot for each will do. The order of goals is not that of submission. No goal passes while the test runs.
//
// In each scheduler's eyes the same jobs deserve something else. A near one needs all its maps to run at once. Adaptive makes the
// least happy job as happy as can be, so all have a slot before any has two. Reverse-Adaptive knows that the far ones can wait.
// minmiss gives the near ones up.
func hopelessOrFar(n int) []string {
	goal := fmt.Sprintf("+%dms", nearBy+n)
	if n%3 != 0 {
		goal = fmt.Sprintf("+%dh", 100+(n*7)%mixJobs)
	}
	return []string{"mapreduce.job.deadline=" + goal, "mapreduce.job.reduce.slowstart.completedmaps=1",
		fmt.Sprintf("howdah.job.profile=map=%d/%d,first=10,typical=10,reduce=10/10", longMap, longMap)}
}

// isNear tells whether a job has one of the near goals.
func isNear(j *scheduler.Job) bool { return j.Spec.Deadline > 0 && j.Spec.Deadline < j.Submit+longMap }

func isFar(j *scheduler.Job) bool { return j.Spec.Deadline > 0 && !isNear(j) }

// eachMap calls see before each launch of a map of a job with a goal. The jobs are those that have run for long enough to be in every
// placement since; what they want never grows again.
func eachMap(t *testing.T, facts []event.Event, see func(m *jobtracker.Machine, j *scheduler.Job, jobs []*scheduler.Job)) {
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

// mapsOf is how many maps a job could run now, if it has not enough slots; what runs already is not promised anew.
func mapsOf(j *scheduler.Job) int32 {
	if j.Pending[job.Map] == 0 {
		return 0
	}
	return j.Running[job.Map] + j.Pending[job.Map]
}

// eachSomeFirst is Adaptive's: a job with a far goal never has more than the one slot that will do, and no job gets a second one while
// there are as many jobs as slots.
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

// short tells whether a job with a near goal has a slot and could use more.
func short(j *scheduler.Job) bool {
	return isNear(j) && j.Running[job.Map] > 0 && j.Pending[job.Map] > 0
}

// nearGoalsFirst is Reverse-Adaptive's: a job whose maps all fit before its goal later on gets nothing as long as those with near goals
// need all slots. These share them as evenly as they can.
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

// evenly tells whether as many jobs lack slots as there are. Then none gets a second slot.
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

// hopelessLast is minmiss's: jobs in order of their goals, and those that cannot reach theirs after all others.
func hopelessLast(t *testing.T, facts []event.Event) {
	inOrder(t, facts, func(o, j *scheduler.Job) bool { return isFar(o) && (isNear(j) || isFar(j) && sooner(o, j)) })
}

// inOrder: a job gets no map slot as long as the jobs before it could use all of them.
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
