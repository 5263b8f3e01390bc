package daemon

import "time"

// clock is the machine's time in ms since the epoch. It does not jump when the wall clock does. It
// also stops while this process is suspended, either by SIGSTOP or along with its virtual machine.
// Otherwise, attempts could time out on wake-up, before the TaskTracker has read the children's
// messages.
type clock struct {
	start time.Time
	lost  int64 // ms during which this process was suspended
	due   int64 // latest time at which the owner plans to wake up; never far in the future
}

// pause is how late a wake-up must be, in ms, for the clock to assume that the process was
// suspended.
const pause = 2000

func newClock() clock { return clock{start: time.Now()} }

func (c *clock) read() int64 {
	return c.start.UnixMilli() + time.Since(c.start).Milliseconds() - c.lost
}

// now returns the time. If the owner woke up later than planned because the process was suspended,
// now subtracts the delay.
func (c *clock) now() int64 {
	t := c.read()
	if late := t - c.due; c.due > 0 && late > pause {
		c.lost += late
		t -= late
	}
	return t
}
