package daemon

import (
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/heartbeat"
)

// This file translates the orchestrator's part of heartbeats between the wire format and the state
// machines. On the wire it consists of columns of numbers. Numbers from trackers are clamped to
// valid values.

// maxShares is the maximum number of attempts whose shares the JobTracker reads from one report.
const maxShares = 10_000

func fromShares(s *tracker.Shares) *heartbeat.Shares {
	if s == nil {
		return nil
	}
	r := &heartbeat.Shares{Capacity: vector(s.GetCpu(), s.GetMemory())}
	n := min(s.GetAttempt().Len(), maxShares)
	r.Tasks = make([]heartbeat.TaskShare, 0, n)
	for i := range n {
		id, ok := s.Attempt.At(i)
		if !ok {
			continue
		}
		r.Tasks = append(r.Tasks, heartbeat.TaskShare{Attempt: id,
			Usage:      vector(tracker.At(s.CpuUsed, i), tracker.At(s.MemoryUsed, i)),
			Allocation: vector(tracker.At(s.CpuHeld, i), tracker.At(s.MemoryHeld, i)),
			Want:       vector(tracker.At(s.CpuWanted, i), tracker.At(s.MemoryWanted, i)),
			Elapsed:    bounded(tracker.At(s.Elapsed, i)), Left: bounded(tracker.At(s.Left, i)),
			Answers: tracker.At(s.Answers, i)})
	}
	return r
}

// bounded clamps a number from a tracker, so that it fits into limits and sums do not overflow.
func bounded(n int64) int64 { return min(max(0, n), 1<<31-1) }

func vector(cpu, memory int64) heartbeat.Vector {
	return heartbeat.Vector{bounded(cpu), bounded(memory)}
}

// toAdvice translates the advice of one epoch. It returns nil if there is no advice.
func toAdvice(all []heartbeat.Advice) *tracker.Advice {
	n := len(all)
	if n == 0 {
		return nil
	}
	const cpu, memory = heartbeat.CPU, heartbeat.Memory
	out := &tracker.Advice{Epoch: all[0].Epoch, Attempt: &tracker.Attempts{},
		CpuVerdict: make([]uint32, n), MemoryVerdict: make([]uint32, n),
		CpuMean: make([]int64, n), MemoryMean: make([]int64, n), Target: make([]int64, n),
		Whole: make([]bool, n), Pressed: make([]bool, n)}
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

// toLimits translates limits and omits their reasons. It returns nil if there are no limits.
func toLimits(all []heartbeat.Limit) *tracker.Limits {
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

func fromUnheld(all []*tracker.Unheld) (out []heartbeat.Unheld) {
	for _, u := range all[:min(len(all), maxProblems)] {
		if id, ok := fromAttempt(u.GetAttempt()); ok {
			out = append(out, heartbeat.Unheld{Attempt: id, CPU: u.Cpu, Memory: u.Memory,
				HeldCPU: u.CpuHeld, HeldMemory: u.MemoryHeld, Why: cut(u.Why, maxText)})
		}
	}
	return out
}
