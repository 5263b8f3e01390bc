package runner

import (
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// turns lets jobs that run at the same time share a Watcher, which shows one after the other: the first that started is shown as
// it runs, the others wait with what they have to tell until their turn comes.
type turns struct {
	to Watcher

	mu    sync.Mutex // guards what follows and all turns; held while to is called
	queue []*turn    // of jobs that started; the first is being shown
}

// turn is the Watcher of one job.
type turn struct {
	all     *turns
	waiting []func(Watcher) // what happened before its turn
	ended   bool
}

// maxWaiting bounds what a job remembers for its turn; later attempts are left out.
const maxWaiting = 1000

func (t *turn) Started(id job.ID, url string) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.all.queue = append(t.all.queue, t)
	t.tell(func(w Watcher) { w.Started(id, url) })
}

// Progress of a job that is not shown is not remembered: the end says more.
func (t *turn) Progress(maps, reduces float32) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.shown() {
		t.all.to.Progress(maps, reduces)
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

// left ends the turn of a job that is not watched any more; after Ended it does nothing.
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

// leave gives the Watcher to the next job that has not ended, telling what happened meanwhile.
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
