package daemon

import (
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
)

// This file turns what beats carry for the orchestrator into what machines understand, and back: columns of numbers on the wire, in which
// what trackers say is kept within what makes sense.

// maxShares bounds the tasks that one report may speak of.
const maxShares = 10_000

func fromShares(s *tracker.Shares) *orchestrator.Report {
	r := &orchestrator.Report{Capacity: vector(s.GetCpu(), s.GetMemory())}
	n := min(s.GetAttempt().Len(), maxShares)
	r.Tasks = make([]orchestrator.TaskReport, 0, n)
	for i := range n {
		id, ok := s.Attempt.At(i)
		if !ok {
			continue
		}
		r.Tasks = append(r.Tasks, orchestrator.TaskReport{Attempt: id,
			Usage:      vector(tracker.At(s.CpuUsed, i), tracker.At(s.MemoryUsed, i)),
			Allocation: vector(tracker.At(s.CpuHeld, i), tracker.At(s.MemoryHeld, i)),
			Want:       vector(tracker.At(s.CpuWanted, i), tracker.At(s.MemoryWanted, i)),
			Elapsed:    bounded(tracker.At(s.Elapsed, i)), Left: bounded(tracker.At(s.Left, i)), Answers: tracker.At(s.Answers, i)})
	}
	return r
}

// bounded keeps a number from a tracker within what can be added up without overflow, and within what limits can hold.
func bounded(n int64) int64 { return min(max(0, n), 1<<31-1) }

func vector(cpu, memory int64) orchestrator.Vector {
	return orchestrator.Vector{bounded(cpu), bounded(memory)}
}

// toAdvice gives advice of one epoch; nil = there is none.
func toAdvice(all []orchestrator.Advice) *tracker.Advice {
	n := len(all)
	if n == 0 {
		return nil
	}
	const cpu, memory = orchestrator.CPU, orchestrator.Memory
	out := &tracker.Advice{Epoch: all[0].Epoch, Attempt: &tracker.Attempts{}, CpuVerdict: make([]uint32, n), MemoryVerdict: make([]uint32, n),
		CpuMean: make([]int64, n), MemoryMean: make([]int64, n), Target: make([]int64, n), Whole: make([]bool, n), Pressed: make([]bool, n)}
	out.Attempt.Grow(n)
	for i := range all {
		a := &all[i]
		out.Attempt.Append(a.Attempt)
		out.CpuVerdict[i], out.MemoryVerdict[i] = uint32(a.Verdict[cpu]), uint32(a.Verdict[memory])
		out.CpuMean[i], out.MemoryMean[i] = a.Mean[cpu], a.Mean[memory]
		out.Target[i], out.Whole[i], out.Pressed[i] = a.Target, a.Whole, a.Pressed
	}
	return out
}

// toLimits gives limits without their reasons; nil = there are none.
func toLimits(all []jobtracker.Limit) *tracker.Limits {
	n := len(all)
	if n == 0 {
		return nil
	}
	out := &tracker.Limits{Attempt: &tracker.Attempts{}, Cpu: make([]int32, n), Memory: make([]int32, n)}
	out.Attempt.Grow(n)
	for i := range all {
		out.Attempt.Append(all[i].Attempt)
		out.Cpu[i], out.Memory[i] = all[i].CPU, all[i].Memory
	}
	return out
}

func fromUnheld(all []*tracker.Unheld) (out []jobtracker.Unheld) {
	for _, u := range all[:min(len(all), maxProblems)] {
		if id, ok := fromAttempt(u.GetAttempt()); ok {
			out = append(out, jobtracker.Unheld{Attempt: id, CPU: u.Cpu, Memory: u.Memory,
				HeldCPU: u.CpuHeld, HeldMemory: u.MemoryHeld, Why: cut(u.Why, maxText)})
		}
	}
	return out
}
