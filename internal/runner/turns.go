package runner

import (
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// turns lets concurrent jobs share a Watcher, which shows jobs one after another. The Watcher shows
// the first job while that job runs. The other jobs queue their events until their turn.
type turns struct {
	to Watcher

	mu    sync.Mutex // guards the fields below and all turns; held during calls to the Watcher
	queue []*turn    // started jobs; the Watcher shows the first one
}

// turn is the Watcher of one job.
type turn struct {
	all     *turns
	waiting []func(Watcher) // events that occurred before the job's turn
	ended   bool
}

// maxWaiting is the number of queued events at which a job begins to drop events about attempts.
const maxWaiting = 1000

func (t *turn) Started(id job.ID, url string) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.all.queue = append(t.all.queue, t)
	t.tell(func(w Watcher) { w.Started(id, url) })
}

// Hint passes on the text unless it is empty.
func (t *turn) Hint(text string) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if text != "" {
		t.tell(func(w Watcher) { w.Hint(text) })
	}
}

// Progress passes on the progress only during the job's turn. It does not queue the progress,
// because it is obsolete by the time the job's turn comes.
func (t *turn) Progress(maps, reduces float32) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.shown() {
		t.all.to.Progress(maps, reduces)
	}
}

// Waits passes on the reason only during the job's turn, as Progress does.
func (t *turn) Waits(why string) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.shown() {
		t.all.to.Waits(why)
	}
}

func (t *turn) Attempt(e AttemptEvent) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.shown() || len(t.waiting) < maxWaiting {
		t.tell(func(w Watcher) { w.Attempt(e) })
	}
}

func (t *turn) Ended(r *mapreduce.Result) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.tell(func(w Watcher) { w.Ended(r) })
	t.leave()
}

// left marks the job as ended if its Run returns before the job ends. It has no effect after Ended.
func (t *turn) left() {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.leave()
}

func (t *turn) shown() bool { return len(t.all.queue) > 0 && t.all.queue[0] == t }

func (t *turn) tell(what func(Watcher)) {
	if t.shown() {
		what(t.all.to)
	} else {
		t.waiting = append(t.waiting, what)
	}
}

// leave marks the job as ended. If it was this job's turn, leave then shows the queued events of
// the following jobs, up to the first that has not ended. The turn passes to that job.
func (t *turn) leave() {
	t.ended = true
	for q := &t.all.queue; len(*q) > 0 && (*q)[0].ended; {
		*q = (*q)[1:]
		if len(*q) > 0 {
			next := (*q)[0]
			for _, what := range next.waiting {
				what(t.all.to)
			}
			next.waiting = nil
		}
	}
}
