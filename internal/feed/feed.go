// Package feed keeps the latest events about jobs in memory, for readers that follow them. Start
// with [New].
package feed

import (
	"sync"

	"github.com/howdah/howdah/job"
)

// Event is a change of a job's state, or the end of an attempt.
type Event struct {
	Number  uint64 // from 1, without gaps; Add sets it
	TimeMs  int64  // since the epoch
	Job     job.ID
	Attempt *job.AttemptID // the attempt that ended; nil means that the job's state changed
	State   string         // the new state, in upper case
}

// Feed is a buffer of events. A reader that is too slow, or that comes too late, loses events. Feed
// is safe for concurrent use.
type Feed struct {
	mu   sync.Mutex
	ring []Event
	last uint64        // number of the latest event
	more chan struct{} // the next event closes it; nil if no reader waits
}

// New returns an empty Feed that keeps the latest size events.
func New(size int) *Feed { return &Feed{ring: make([]Event, size)} }

// Add adds an event, and wakes readers.
func (f *Feed) Add(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	e.Number = f.last
	f.ring[f.last%uint64(len(f.ring))] = e
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}

// Last returns the number of the latest event, or 0 if there is none.
func (f *Feed) Last() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// After returns the events after event number n. lost reports whether some of these are no longer
// in the buffer, or whether n is in the future. The next event closes more.
func (f *Feed) After(n uint64) (events []Event, lost bool, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	oldest := max(f.last, uint64(len(f.ring))) - uint64(len(f.ring)) // events after this one are kept
	if n > f.last || n < oldest {
		n, lost = oldest, true
	}
	for n < f.last {
		n++
		events = append(events, f.ring[n%uint64(len(f.ring))])
	}
	if f.more == nil {
		f.more = make(chan struct{})
	}
	return events, lost, f.more
}
