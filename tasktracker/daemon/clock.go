package daemon

import "time"

// clock is the machine's time, in milliseconds since the epoch. It does not jump when the wall clock does, and it stands
// still while this process does not run (SIGSTOP, a paused virtual machine): otherwise every attempt would be found silent
// on waking up, before what the children said meanwhile was read.
type clock struct {
	start time.Time
	lost  int64 // milliseconds during which this process did not run
	due   int64 // when the owner wants to be woken at the latest; never far ahead
}

// pause is how late a wake-up has to be, in milliseconds, to be taken for a pause of the process.
const pause = 2000

func newClock() clock { return clock{start: time.Now()} }

func (c *clock) read() int64 {
	return c.start.UnixMilli() + time.Since(c.start).Milliseconds() - c.lost
}

// now reads the clock and takes out a pause that lies between the time at which the owner wanted to be woken and now.
func (c *clock) now() int64 {
	t := c.read()
	if late := t - c.due; c.due > 0 && late > pause {
		c.lost += late
		t -= late
	}
	return t
}
