package daemon

import "time"

// clock is the state machine's clock, in milliseconds since the epoch. It never goes backward, even
// if the wall clock does. It also starts no earlier than the times in the journal.
type clock struct {
	start time.Time // only its monotonic reading is used
	base  int64
}

func newClock(journaled int64) *clock {
	now := time.Now()
	return &clock{start: now, base: max(now.UnixMilli(), journaled)}
}

func (c *clock) now() int64 { return c.base + time.Since(c.start).Milliseconds() }

// pauses detects that the whole process was stopped, for example by SIGSTOP, a debugger, or a pause
// of its virtual machine.
type pauses struct{ last int64 }

// beatEvery is the maximum time between two readings of the clock by the owner. A gap of more than
// twice that time is a pause.
const beatEvery = 500 * time.Millisecond

// look returns the time for which the process was stopped since the previous call, in ms. 0 means
// that it was not stopped.
func (p *pauses) look(now int64) int64 {
	gap := now - p.last
	if p.last == 0 {
		gap = 0
	}
	p.last = now
	if gap <= 2*beatEvery.Milliseconds() {
		return 0
	}
	return gap
}
