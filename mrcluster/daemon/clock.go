package daemon

import "time"

// clock gives the machine its time: ms since the epoch that never go back, not even from one manager to the next, and that stand
// still while the process was stopped.
type clock struct {
	start  time.Time
	base   int64 // ms at start
	pauses pauses
}

// pauses are the times in which a process was stopped. Times are since its start.
type pauses struct {
	total time.Duration
	seen  time.Duration // at the last look
}

// pause is how long nobody may look before the process counts as having been stopped.
const pause = 2 * time.Second

// newClock begins at the present time, but not before the last fact of the journal.
func newClock(last int64) *clock {
	now := time.Now()
	return &clock{start: now, base: max(now.UnixMilli(), last)}
}

func (c *clock) now() int64 { return c.base + (time.Since(c.start) - c.pauses.total).Milliseconds() }

// look takes the time since the last look out of the reckoning if the process was stopped meanwhile: agents could not be heard
// while nobody listened.
func (c *clock) look() { c.pauses.look(time.Since(c.start)) }

func (p *pauses) look(at time.Duration) {
	if gap := at - p.seen; gap >= pause {
		p.total += gap - lookEvery
	}
	p.seen = at
}
