package daemon

import (
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
)

// This file turns what beats carry for the orchestrator, columns of numbers, into what its manager understands, and back.

func toShares(r *orchestrator.Report) *tracker.Shares {
	const cpu, memory = orchestrator.CPU, orchestrator.Memory
	n := len(r.Tasks)
	column := func() []int64 { return make([]int64, n) }
	s := &tracker.Shares{Cpu: r.Capacity[cpu], Memory: r.Capacity[memory], Attempt: &tracker.Attempts{}, CpuUsed: column(), MemoryUsed: column(), CpuHeld: column(),
		MemoryHeld: column(), Elapsed: column(), Left: column(), Answers: column(), CpuWanted: column(), MemoryWanted: column()}
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

func fromAdvice(a *tracker.Advice) []orchestrator.Advice {
	n := a.GetAttempt().Len()
	if n == 0 {
		return nil
	}
	verdict := func(column []uint32, i int) orchestrator.Verdict { return orchestrator.Verdict(tracker.At(column, i)) }
	out := make([]orchestrator.Advice, 0, n)
	for i := range n {
		if id, ok := a.Attempt.At(i); ok {
			out = append(out, orchestrator.Advice{Attempt: id, Epoch: a.Epoch,
				Verdict: [orchestrator.NumResources]orchestrator.Verdict{verdict(a.CpuVerdict, i), verdict(a.MemoryVerdict, i)},
				Mean:    orchestrator.Vector{max(0, tracker.At(a.CpuMean, i)), max(0, tracker.At(a.MemoryMean, i))},
				Target:  max(0, tracker.At(a.Target, i)), Whole: tracker.At(a.Whole, i), Pressed: tracker.At(a.Pressed, i)})
		}
	}
	return out
}

// ordered is a limit that the JobTracker wants an attempt to have.
type ordered struct {
	attempt job.Attempt
	share   share
}

func fromLimits(l *tracker.Limits) []ordered {
	n := l.GetAttempt().Len()
	out := make([]ordered, 0, n)
	for i := range n {
		if id, ok := l.Attempt.At(i); ok {
			out = append(out, ordered{id, share{tracker.At(l.Cpu, i), tracker.At(l.Memory, i)}})
		}
	}
	return out
}
