package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/skip"
)

// fakeSkips holds the skipping state of a task in the model.
type fakeSkips struct {
	asked bool
	plan  *skip.Plan
	hand  job.Range
}

const (
	modelRecords = 24 // number of records of a task
	modelInHand  = 4  // number of records in process at the same time
)

// badRecords returns the records on which a task fails. Most tasks have none.
func badRecords(t job.Task) map[int64]bool {
	if (t.Job+t.Index)%3 != 0 {
		return nil
	}
	return map[int64]bool{int64(t.Job*7+t.Index*5) % modelRecords: true, int64(t.Job*11+t.Index) % modelRecords: true}
}

// askSkip asks the JobTracker once for the records that an attempt skips. It reports whether the
// attempt can begin.
func (w *world) askSkip(k *fakeTask) bool {
	j := w.ledger.jobs[k.id.Job]
	if k.skips.asked || j == nil || j.spec.Skip(k.id.Type) == 0 {
		return true
	}
	if w.down {
		return false
	}
	k.skips.plan, _ = w.m.SkipPlan(k.id)
	k.skips.asked = true
	return true
}

// meetsBadRecord simulates the records of a task in a job that skips. It reports whether the task
// fails on a bad record.
func (w *world) meetsBadRecord(k *fakeTask) bool {
	if !k.skips.asked {
		return false
	}
	bad := badRecords(k.id.Task)
	if k.skips.plan == nil {
		return len(bad) > 0
	}
	c := k.skips.plan.Cursor()
	first, n := int64(0), 0
	for {
		r, all := c.Next()
		if all || r >= modelRecords {
			return false
		}
		if n++; n%modelInHand == 1 {
			first = r
		}
		k.skips.hand = job.Range{Start: first, Length: r - first + 1}
		if bad[r] {
			return true
		}
	}
}
