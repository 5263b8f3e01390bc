package doctor

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/goal"
	"github.com/howdah/howdah/internal/wire/client"
)

// want is what a job waits for, of one kind of slot.
type want struct {
	kind    string
	waiting int32 // tasks
	later   int32 // of them, that do not start before more maps are done
	free    int32 // slots
}

// see counts the free slots of a TaskTracker that may take work. Where all memory is in use its slots are of no use.
func (w *want) see(t *client.TrackerStatus, free int32) {
	if t.MemoryMb > 0 && t.MemoryUsedMb >= t.MemoryMb {
		return
	}
	w.free += max(0, free)
}

// held tells whether the scheduler could start a task and does not.
func (w *want) held() bool { return w.waiting > w.later && w.free > 0 }

func (r *Report) slots(w want) {
	if w.waiting > 0 && w.free == 0 {
		r.add(Note, w.kind+" slots", "add TaskTrackers or raise mapreduce.tasktracker."+w.kind+".tasks.maximum",
			"%d %ss wait, and all %s slots are in use", w.waiting, w.kind, w.kind)
	}
}

// heldBack says that slots are free and the scheduler does not give them to the job, with what is known of the job to it.
func (r *Report) heldBack(j *client.JobStatus, s *client.SchedulerStatus, wants ...want) {
	var waiting []string
	for _, w := range wants {
		if w.held() {
			waiting = append(waiting, fmt.Sprintf("%d %ss wait and %d %s slots are free", w.waiting, w.kind, w.free, w.kind))
		}
	}
	r.add(Note, "held back", "ask again; if this stays so it is the policy that holds it back: see the page /scheduler",
		"%s; scheduler %s gives the job none of them now", strings.Join(waiting, ", "), s.Name)
	for _, g := range s.Group {
		if j.Pool != "" && g.Name == j.Pool {
			r.add(Note, "pool", "", "%s: %s", g.Name, strings.Join(amounts(g), "; "))
		}
	}
	if j.DeadlineMs != 0 {
		r.add(Note, "deadline", "", "%s (%s)", time.UnixMilli(j.DeadlineMs).Format(time.DateTime), goal.Text(j, time.Now()))
	}
	if j.PredictedFinishMs != 0 {
		r.add(Note, "prediction", "", "it is expected to end at %s", time.UnixMilli(j.PredictedFinishMs).Format(time.DateTime))
	}
	if s.Problem != "" {
		r.add(Warn, "scheduler", "correct it; howdah admin -refreshQueues reads it again", "a change is not in place: %s", s.Problem)
	}
}

// amounts tells what a pool has and may have.
func amounts(g *client.GroupStatus) []string {
	one := func(unit string, s *client.SlotGroup) string {
		text := fmt.Sprintf("%d %s in use of a share of %d, demand %d", s.GetRunning(), unit, s.GetFair(), s.GetDemand())
		if most := s.GetMax(); most >= 0 && most != math.MaxInt32 {
			text += fmt.Sprintf(", at most %d", most)
		}
		return text
	}
	if g.Memory {
		return []string{one("MiB", g.Maps)}
	}
	return []string{one("map slots", g.Maps), one("reduce slots", g.Reduces)}
}
