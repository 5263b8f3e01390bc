package jobtracker

import "github.com/howdah/howdah/job"

// mayCommit asks the JobTracker whether an attempt of a job with a custom committer can commit. A
// skipping test does not commit.
func (w *world) mayCommit(k *fakeTask) bool {
	j := w.ledger.jobs[k.id.Job]
	if j == nil || !j.spec.Committer || k.id.Type > job.Reduce || k.skips.plan != nil && k.skips.plan.Test {
		return true
	}
	if w.down {
		return false
	}
	w.step(Input{Kind: InCanCommit, Attempt: k.id})
	if w.down || w.rng.IntN(8) == 0 { // the reply is lost
		return false
	}
	_, t, a := w.m.attempt(k.id)
	return a != nil && !a.over() && t.granted == k.id.N+1
}
