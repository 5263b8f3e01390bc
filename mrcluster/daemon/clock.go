package daemon

import "time"

// clock is the machine's clock, in milliseconds since the epoch. It never goes backward, even from
// one manager to the next. It excludes suspensions of the process (see look).
type clock struct {
	start  time.Time
	base   int64 // milliseconds since the epoch at the start
	pauses pauses
}

// pauses measures how long a process was suspended. Its times are relative to the clock's
// start.
type pauses struct {
	total time.Duration
	seen  time.Duration // time of the last look
}

// pause is the minimum interval between two looks that counts as a suspension of the process.
const pause = 2 * time.Second

// newClock returns a clock that starts at the current time, or at the time of the journal's last
// fact if that is later.
func newClock(last int64) *clock {
	now := time.Now()
	return &clock{start: now, base: max(now.UnixMilli(), last)}
}

func (c *clock) now() int64 { return c.base + (time.Since(c.start) - c.pauses.total).Milliseconds() }

// look excludes the time since the previous look from the clock if the process was suspended,
// because no reports could arrive during that time.
func (c *clock) look() { c.pauses.look(time.Since(c.start)) }

func (p *pauses) look(at time.Duration) {
	if gap := at - p.seen; gap >= pause {
		p.total += gap - lookEvery
	}
	p.seen = at
}
