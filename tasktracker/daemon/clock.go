package daemon

import "time"

// clock is the machine's time in ms since the epoch. It does not jump when the wall clock does. It
// also stops while this process is suspended, by SIGSTOP or with its virtual machine. Otherwise
// attempts could time out on wake-up, before the TaskTracker has read the children's messages.
type clock struct {
	start time.Time
	lost  int64 // ms during which this process was suspended
	due   int64 // time at which the owner wants to wake up at the latest; never far ahead
}

// pause is the lateness of a wake-up, in ms, that the clock treats as a suspension of the process.
const pause = 2000

func newClock() clock { return clock{start: time.Now()} }

func (c *clock) read() int64 {
	return c.start.UnixMilli() + time.Since(c.start).Milliseconds() - c.lost
}

// now returns the time. It excludes a pause after the owner's planned wake-up.
func (c *clock) now() int64 {
	t := c.read()
	if late := t - c.due; c.due > 0 && late > pause {
		c.lost += late
		t -= late
	}
	return t
}
