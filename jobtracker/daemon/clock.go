package daemon

import "time"

// clock gives the machine's time: milliseconds since the epoch that never go back, neither with the wall clock nor behind
// what an earlier JobTracker wrote into the journal.
type clock struct {
	start time.Time // its monotonic reading counts
	base  int64
}

func newClock(journaled int64) *clock {
	now := time.Now()
	return &clock{start: now, base: max(now.UnixMilli(), journaled)}
}

func (c *clock) now() int64 { return c.base + time.Since(c.start).Milliseconds() }

// pauses notices that the whole process was stopped: by SIGSTOP, by a debugger, with its virtual machine.
type pauses struct{ last int64 }

// beatEvery is how often the owner looks at the clock at least; a gap of more than twice that is a pause.
const beatEvery = 500 * time.Millisecond

// look returns for how many milliseconds the process was stopped since the last look; 0 = it was not.
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
