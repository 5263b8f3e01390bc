package speculation

import (
	"math"

	"github.com/howdah/howdah/scheduler"
)

// mrv2 is the rule of Hadoop 2's DefaultSpeculator with its LegacyTaskRuntimeEstimator. It predicts
// the end of a running attempt from its progress, and the duration of a second attempt from the
// phase's successful attempts. The task that would gain the most time gets a second attempt.
type mrv2 struct{}

// The rule uses a phase's durations only if at least this number and this share of its tasks have
// succeeded (StartEndTimesBase).
const (
	leastDone      = 1    // tasks
	leastDoneShare = 0.05 // of all tasks
)

func (mrv2) first(s *settings, started int64) int64 { return started + s.retryNo }

func (mrv2) twins(_ *Policy, f *phase) int32 { return f.twins }

func (mrv2) judge(p *Policy, v scheduler.View, f *phase) int64 {
	j, now := v.Job(f.job), v.Now()
	running := float64(len(f.running))
	f.limit = max(f.set.minimum, int32(f.set.capTotal*float64(j.Tasks[f.typ])), int32(f.set.cap*running))
	done := j.Finished[f.typ]
	if done < leastDone || float64(done)/float64(j.Tasks[f.typ]) < leastDoneShare || f.done.count == 0 {
		return now + f.set.retryNo
	}
	best, gain := int32(0), int64(math.MinInt64)
	for i := range f.running {
		a := f.only(v, &f.running[i])
		if a == nil {
			continue
		}
		if g, ok := expectedGain(a, now, f.done.mean()); ok && (g > gain || g == gain && a.ID.Index < best) {
			best, gain = a.ID.Index, g
		}
	}
	if gain <= 0 {
		return now + f.set.retryNo
	}
	f.candidates = append(f.candidates, best)
	return now + f.set.retryYes
}

// expectedGain returns how many milliseconds earlier a task would end with a second attempt that
// starts now and takes the mean time. It returns false if the task should already have ended.
func expectedGain(a *scheduler.Attempt, now, mean int64) (int64, bool) {
	const least = 100 // Hadoop's 0.0001 in millionths, to avoid a division by zero
	run := (now - a.Start) * million / max(least, int64(a.Progress))
	end, replacement := a.Start+run, now+mean
	return end - replacement, end > now
}
