//go:build integration

package integration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// borrowed reports whether an attempt uses a slot of the other kind.
func borrowed(e *event.Event) bool { return e.Slot != e.Attempt.Type }

// inOwnSlots checks that every task uses a slot of its own kind.
func inOwnSlots(t *testing.T, facts []event.Event) {
	for i := range facts {
		if e := &facts[i]; e.Type == event.AttemptStarted {
			require.False(t, borrowed(e), "%v sits in a slot of kind %v", e.Attempt, e.Slot)
		}
	}
}

// largestDeficitFirst checks that, among the jobs with pending maps, the job with the largest deficit
// gets the slot. The scheduler updates deficits only periodically, so the check allows for a
// difference.
func largestDeficitFirst(t *testing.T, facts []event.Event) {
	const about = 600 // slot milliseconds
	deficit, last, contended, worst := map[int32]float64{}, int64(0), 0, 0.0
	replayAll(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		for seq, share := range mapShares(m) {
			deficit[seq] += (share - float64(m.Job(seq).Running[job.Map])) * float64(e.Time-last)
		}
		last = e.Time
		if e.Type != event.AttemptStarted || e.Attempt.Type != job.Map {
			return
		}
		for _, seq := range m.Jobs() {
			if seq == e.Job || !m.Job(seq).Wants(job.Map) {
				continue
			}
			if deficit[seq]+about < deficit[e.Job] {
				contended++
			}
			worst = max(worst, deficit[seq]-deficit[e.Job])
			require.Less(t, deficit[seq], deficit[e.Job]+about, "job %d got a map though job %d is owed more", e.Job, seq)
		}
	})
	t.Logf("choices between deficits: %d; least owed more: %.0f slot ms", contended, worst)
	require.NotZero(t, contended, "there was hardly any choice to make")
}

// mapShares returns each job's fair share of the map slots. A pool gets its share by weight, and
// its jobs divide that share equally.
func mapShares(m *jobtracker.Machine) map[int32]float64 {
	members, sum := map[string]float64{}, 0.0
	weight := func(pool string) float64 { return max(1, poolWeights(job.Map)[pool]) }
	for _, seq := range m.Jobs() {
		if j := m.Job(seq); j.Running[job.Map]+j.Pending[job.Map] > 0 {
			if members[poolOf(j)] == 0 {
				sum += weight(poolOf(j))
			}
			members[poolOf(j)]++
		}
	}
	shares := map[int32]float64{}
	for _, seq := range m.Jobs() {
		if j := m.Job(seq); j.Running[job.Map]+j.Pending[job.Map] > 0 {
			shares[seq] = float64(m.Cluster().Slots[job.Map]) * weight(poolOf(j)) / sum / members[poolOf(j)]
		}
	}
	return shares
}

// load returns the demand for a kind of slots and the number of slots. The demand is the number of
// pending tasks plus the number of used slots (DHF, Algorithm 1).
func load(m *jobtracker.Machine, k job.TaskType) (demand, capacity int32) {
	for _, seq := range m.Jobs() {
		if j := m.Job(seq); j.Wants(k) {
			demand += j.Pending[k]
		}
	}
	all := m.Cluster()
	return demand + all.Used[k], all.Slots[k]
}

// phaseSpares reports whether Algorithm 1 lets tasks of a type borrow slots. Their own load factor
// must be above 1 and the other type's must be below 1.
func phaseSpares(m *jobtracker.Machine, k job.TaskType) bool {
	mine, own := load(m, k)
	others, lendable := load(m, 1-k)
	return mine > own && others < lendable
}

// eachBorrowed calls see before each launch in a slot of the other kind. It checks that the tracker
// has used its slots of the task's own kind first.
func eachBorrowed(t *testing.T, facts []event.Event, see func(m *jobtracker.Machine, e *event.Event)) {
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		if !borrowed(e) {
			return
		}
		require.Zero(t, m.Tracker(e.Tracker).Free(e.Attempt.Type), "%v borrows a slot though one of its own kind is free",
			e.Attempt)
		see(m, e)
	})
}

// borrowsWhenPhaseSpares checks that a phase lends only slots that it can spare, and only to a
// phase that needs them (DHF, Algorithm 1).
func borrowsWhenPhaseSpares(t *testing.T, facts []event.Event) {
	n := 0
	eachBorrowed(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		n++
		require.True(t, phaseSpares(m, e.Attempt.Type), "%v borrows a slot that the other phase needs, or that its own "+
			"does not", e.Attempt)
	})
	t.Logf("borrowed slots: %d", n)
	require.NotZero(t, n)
}

// borrowsForPool checks that a pool uses slots of either kind, even slots that Algorithm 1 would
// not lend (DHF, Algorithm 2).
func borrowsForPool(t *testing.T, facts []event.Event) {
	n, beyond := 0, 0
	eachBorrowed(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		n++
		if !phaseSpares(m, e.Attempt.Type) {
			beyond++
		}
	})
	t.Logf("borrowed slots: %d, %d of them against Algorithm 1", n, beyond)
	require.NotZero(t, beyond)
}

// neediestOfBothFirst checks which pool gets a slot while there are at least as many tasks as slots.
// It must be the pool with the fewest running maps and reduces relative to its weight, among the
// pools with pending tasks.
func neediestOfBothFirst(t *testing.T, facts []event.Event) {
	contended := 0
	weights := poolWeights(job.Map)
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		maps, mapSlots := load(m, job.Map)
		reduces, reduceSlots := load(m, job.Reduce)
		if maps+reduces < mapSlots+reduceSlots {
			return
		}
		has, wants := map[string]float64{}, map[string]bool{}
		for _, seq := range m.Jobs() {
			j := m.Job(seq)
			has[poolOf(j)] += float64(j.Running[job.Map] + j.Running[job.Reduce])
			wants[poolOf(j)] = wants[poolOf(j)] || j.Wants(job.Map) || j.Wants(job.Reduce)
		}
		mine := poolOf(m.Job(e.Job))
		for other, w := range weights {
			if other == mine || !wants[other] || weights[mine] == 0 {
				continue
			}
			contended++
			require.LessOrEqual(t, has[mine]/weights[mine], has[other]/w, "%s got a slot though %s waits: %v", mine, other, has)
		}
	})
	t.Logf("choices between pools: %d", contended)
	require.Greater(t, contended, 20, "there was hardly any choice to make")
}

// inContainers checks that no task uses a slot, and that the tasks of each TaskTracker fit into its
// memory.
func inContainers(t *testing.T, facts []event.Event) {
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		require.Equal(t, job.Container, e.Slot)
		tt := m.Tracker(e.Tracker)
		require.LessOrEqual(t, tt.UsedMemory+m.Job(e.Job).Spec.Memory(e.Attempt.Type), tt.Memory)
	})
}

// inCores checks that the tasks of each TaskTracker fit its cores.
func inCores(t *testing.T, facts []event.Event) {
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		tt := m.Tracker(e.Tracker)
		require.LessOrEqual(t, tt.UsedVCores+m.Job(e.Job).Spec.VCores(e.Attempt.Type), tt.VCores)
	})
}

// leastFirst checks that no queue gets a container while a queue that uses less of its share has a
// pending map that fits on the same TaskTracker. has returns how much of its share the given queue
// uses.
func leastFirst(t *testing.T, facts []event.Event,
	has func(all scheduler.Totals, queue string, memory, cores float64) float64,
	fits func(tt *scheduler.Tracker, j *scheduler.Job) bool) {
	contended := 0
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		memory, cores := map[string]float64{}, map[string]float64{}
		for _, seq := range m.Jobs() {
			j := m.Job(seq)
			for k, n := range j.Running {
				memory[queueOf(j)] += float64(n * j.Spec.Memory(job.TaskType(k)))
				cores[queueOf(j)] += float64(n * j.Spec.VCores(job.TaskType(k)))
			}
		}
		part := func(q string) float64 { return has(m.Cluster(), q, memory[q], cores[q]) }
		mine, tt := queueOf(m.Job(e.Job)), m.Tracker(e.Tracker)
		for _, seq := range m.Jobs() {
			o := m.Job(seq)
			if queueOf(o) == mine || !o.Wants(job.Map) || !fits(tt, o) {
				continue
			}
			contended++
			require.LessOrEqual(t, part(mine), part(queueOf(o))+1e-9, "queue %s got a container though %s has less: memory "+
				"%v, cores %v", mine, queueOf(o), memory, cores)
		}
	})
	t.Logf("choices between queues: %d", contended)
	require.Greater(t, contended, 10, "there was hardly any choice to make")
}

func fitsMemory(tt *scheduler.Tracker, j *scheduler.Job) bool {
	return tt.UsedMemory+j.Spec.MapMemory <= tt.Memory
}

// smallestShareFirst checks that the queue with the smallest dominant share gets the container
// (DRF, Algorithm 1).
func smallestShareFirst(t *testing.T, facts []event.Event) {
	leastFirst(t, facts, func(all scheduler.Totals, _ string, memory, cores float64) float64 {
		return max(memory/float64(all.Memory), cores/float64(all.VCores))
	}, func(tt *scheduler.Tracker, j *scheduler.Job) bool {
		return fitsMemory(tt, j) && tt.UsedVCores+j.Spec.MapVCores <= tt.VCores
	})
}

// leastUsedQueueFirst checks that the queue that uses the smallest share of its memory capacity
// gets the container.
func leastUsedQueueFirst(t *testing.T, facts []event.Event) {
	percent := map[string]float64{"default": 1, "steel": 74, "wool": 25}
	leastFirst(t, facts, func(_ scheduler.Totals, queue string, memory, _ float64) float64 {
		return memory / percent[queue]
	}, fitsMemory)
}
