package daemon

import (
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/heartbeat"
)

// This file converts the columns of numbers that heartbeats contain for the orchestrator to the
// share manager's types and back.

func toShares(r *heartbeat.Shares) *tracker.Shares {
	if r == nil {
		return nil
	}
	const cpu, memory = heartbeat.CPU, heartbeat.Memory
	n := len(r.Tasks)
	column := func() []int64 { return make([]int64, n) }
	s := &tracker.Shares{Cpu: r.Capacity[cpu], Memory: r.Capacity[memory], Attempt: &tracker.Attempts{}, CpuUsed: column(),
		MemoryUsed: column(), CpuHeld: column(),
		MemoryHeld: column(), Elapsed: column(), Left: column(), Answers: column(), CpuWanted: column(),
		MemoryWanted: column()}
	s.Attempt.Grow(n)
	for i := range r.Tasks {
		t := &r.Tasks[i]
		s.Attempt.Append(t.Attempt)
		s.CpuUsed[i], s.MemoryUsed[i] = t.Usage[cpu], t.Usage[memory]
		s.CpuHeld[i], s.MemoryHeld[i] = t.Allocation[cpu], t.Allocation[memory]
		s.CpuWanted[i], s.MemoryWanted[i] = t.Want[cpu], t.Want[memory]
		s.Elapsed[i], s.Left[i], s.Answers[i] = t.Elapsed, t.Left, t.Answers
	}
	return s
}

func fromAdvice(a *tracker.Advice) []heartbeat.Advice {
	n := a.GetAttempt().Len()
	if n == 0 {
		return nil
	}
	verdict := func(column []uint32, i int) heartbeat.Verdict { return heartbeat.Verdict(tracker.At(column, i)) }
	out := make([]heartbeat.Advice, 0, n)
	for i := range n {
		if id, ok := a.Attempt.At(i); ok {
			out = append(out, heartbeat.Advice{Attempt: id, Epoch: a.Epoch,
				Verdict: [heartbeat.NumResources]heartbeat.Verdict{verdict(a.CpuVerdict, i), verdict(a.MemoryVerdict, i)},
				Mean:    heartbeat.Vector{max(0, tracker.At(a.CpuMean, i)), max(0, tracker.At(a.MemoryMean, i))},
				Target:  max(0, tracker.At(a.Target, i)), Whole: tracker.At(a.Whole, i), Pressed: tracker.At(a.Pressed, i)})
		}
	}
	return out
}

func fromLimits(l *tracker.Limits) []heartbeat.Limit {
	n := l.GetAttempt().Len()
	out := make([]heartbeat.Limit, 0, n)
	for i := range n {
		if id, ok := l.Attempt.At(i); ok {
			out = append(out, heartbeat.Limit{Attempt: id, CPU: tracker.At(l.Cpu, i), Memory: tracker.At(l.Memory, i)})
		}
	}
	return out
}

func toUnheld(all []heartbeat.Unheld) (out []*tracker.Unheld) {
	for i := range all {
		u := &all[i]
		out = append(out, &tracker.Unheld{Attempt: toAttempt(u.Attempt), Cpu: u.CPU, Memory: u.Memory,
			CpuHeld: u.HeldCPU, MemoryHeld: u.HeldMemory, Why: u.Why})
	}
	return out
}
