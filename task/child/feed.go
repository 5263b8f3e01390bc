package child

import (
	"sync"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/task/shuffle"
)

// feed passes completions to a reducer's shuffle. It queues them because the umbilical must never
// wait for the shuffle. The queue cannot grow without limit, because the TaskTracker announces each
// map's output only once or a few times.
type feed struct {
	out  chan shuffle.Completion
	stop chan struct{}

	mu    sync.Mutex
	queue []shuffle.Completion
	more  chan struct{} // contains a token if add was called since run last received a token
}

// newFeed starts a feed, which runs until close.
func newFeed() *feed {
	f := &feed{out: make(chan shuffle.Completion), stop: make(chan struct{}), more: make(chan struct{}, 1)}
	go f.run()
	return f
}

func (f *feed) close() { close(f.stop) }

func (f *feed) add(events []*umbilical.Completion) {
	f.mu.Lock()
	for _, e := range events {
		f.queue = append(f.queue, shuffle.Completion{Map: e.Map, Attempt: e.Attempt, Addr: e.Addr, Obsolete: e.Obsolete,
			Host: e.Host})
	}
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

func (f *feed) take() []shuffle.Completion {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.queue
	f.queue = nil
	return q
}

func (f *feed) run() {
	for {
		select {
		case <-f.more:
		case <-f.stop:
			return
		}
		for _, c := range f.take() {
			select {
			case f.out <- c:
			case <-f.stop:
				return
			}
		}
	}
}
