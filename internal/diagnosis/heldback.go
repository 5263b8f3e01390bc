package diagnosis

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/howdah/howdah/job/status"
)

// want is a job's demand for one kind of slot.
type want struct {
	kind    string
	waiting int32 // tasks that are neither running nor done
	later   int32 // waiting tasks that cannot start until more maps are done
	free    int32 // free slots
}

// see adds free, the number of t's free slots, to w.free unless t has no free memory.
func (w *want) see(t *status.Tracker, free int32) {
	if t.Memory.Total > 0 && t.Memory.Used >= t.Memory.Total {
		return
	}
	w.free += max(0, free)
}

// held reports whether at least one task could start in a free slot but the scheduler has not
// started it.
func (w *want) held() bool { return w.waiting > w.later && w.free > 0 }

func (r *Report) slots(w want) {
	if w.waiting > 0 && w.free == 0 {
		r.Add(Note, w.kind+" slots", "add TaskTrackers or raise mapreduce.tasktracker."+w.kind+".tasks.maximum",
			"%d %ss are waiting, and all %s slots are in use", w.waiting, w.kind, w.kind)
	}
}

// heldBack adds a finding if slots are free but the scheduler does not assign them to the job. It
// also adds findings that may explain this, such as the pool's limits and the job's deadline.
func (r *Report) heldBack(j *status.Job, s *status.Scheduler, wants ...want) {
	var waiting []string
	for _, w := range wants {
		if w.held() {
			waiting = append(waiting, fmt.Sprintf("%d %ss are waiting and %d %s slots are free", w.waiting, w.kind,
				w.free, w.kind))
		}
	}
	r.Add(Note, "held back", "try again; if this persists, the policy holds the job back (see the page "+
		"/scheduler)",
		"%s; scheduler %s does not assign them to the job", strings.Join(waiting, ", "), s.Name)
	for _, g := range s.Groups {
		if j.Pool != "" && g.Name == j.Pool {
			r.Add(Note, "pool", "", "%s: %s", g.Name, strings.Join(amounts(g), "; "))
		}
	}
	if j.DeadlineMs != 0 {
		r.Add(Note, "deadline", "", "%s (%s)", time.UnixMilli(j.DeadlineMs).Format(time.DateTime), j.DeadlineText(time.Now()))
	}
	if j.PredictedFinishMs != 0 {
		r.Add(Note, "prediction", "", "expected to end at %s",
			time.UnixMilli(j.PredictedFinishMs).Format(time.DateTime))
	}
	if s.Problem != "" {
		r.Add(Warn, "scheduler", "correct the configuration and run howdah admin -refreshQueues",
			"a change did not take effect: %s", s.Problem)
	}
}

// amounts describes a pool's usage, share, demand, and limit.
func amounts(g *status.Group) []string {
	one := func(unit string, s status.Shares) string {
		text := fmt.Sprintf("%d %s in use, share %d, demand %d", s.Running, unit, s.Fair, s.Demand)
		if most := s.Max; most >= 0 && most != math.MaxInt32 {
			text += fmt.Sprintf(", at most %d", most)
		}
		return text
	}
	if g.Memory {
		return []string{one("MiB", g.Maps)}
	}
	return []string{one("map slots", g.Maps), one("reduce slots", g.Reduces)}
}
