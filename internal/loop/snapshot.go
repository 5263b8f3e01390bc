package loop

import "iter"

// snapshot is a snapshot in progress. The loop works on it between calls, because thousands of
// calls would otherwise wait for a snapshot of a large state. The methods of a nil *snapshot do
// nothing.
type snapshot[F any] struct {
	fact  func() (F, bool) // returns the next fact
	end   func()           // ends the iteration
	parts [][]byte
	part  []byte
	later []byte // encoded facts since the start
	calls int    // since the last turn
}

const (
	// minPart is the size in bytes at which a part of a snapshot is complete. The buffer of a whole
	// snapshot would be copied whenever it grew.
	minPart = 1 << 20
	// perTurn is the number of a snapshot's facts that the loop encodes in one turn, which takes less
	// than 1 ms.
	perTurn = 500
	// maxCallsPerTurn is the number of calls after which a snapshot has a turn even if more calls wait. The
	// journal of a busy machine would otherwise grow forever.
	maxCallsPerTurn = 100
)

// ready is a channel from which receives never block.
var ready = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// turn returns a channel that is ready if the snapshot has a turn. waiting is the number of calls
// that wait.
func (s *snapshot[F]) turn(waiting int) <-chan struct{} {
	if s == nil || waiting > 0 && s.calls < maxCallsPerTurn {
		return nil
	}
	return ready
}

// count counts a call.
func (s *snapshot[F]) count() {
	if s != nil {
		s.calls++
	}
}

func (s *snapshot[F]) stop() {
	if s != nil {
		s.end()
	}
}

// begin starts a snapshot.
func (l *Loop[F]) begin() {
	l.next = &snapshot[F]{}
	l.next.fact, l.next.end = iter.Pull(l.Snapshot())
	l.proceed() // the iteration must start before the next step
}

// proceed encodes more facts of the snapshot. When the snapshot is complete, proceed adds it to the
// batch, so that the batch begins a new journal. The batch keeps the facts that the snapshot
// includes, because the disk might have no room for a new journal.
func (l *Loop[F]) proceed() {
	s := l.next
	s.calls = 0
	for range perTurn {
		fact, ok := s.fact()
		if !ok {
			l.cur.snapshot, l.cur.included = append(s.parts, s.part, s.later), len(l.cur.facts)
			l.next = nil
			return
		}
		if s.part = l.encode(s.part, fact); len(s.part) >= minPart {
			s.parts, s.part = append(s.parts, s.part), nil
		}
	}
}
