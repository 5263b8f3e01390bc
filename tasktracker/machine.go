package tasktracker

import (
	"github.com/howdah/howdah/job"
)

// Config holds what does not change while a machine runs. All times are milliseconds.
type Config struct {
	Slots       [2]int32 // map and reduce slots at first; InSlots changes them
	Incarnation int64    // of this process; grows with every restart of the tracker
	Warm        int32    // children of the own program that are started ahead; 0 = none
	WarmDelay   int64    // how long after a warm child was used the next one is started
	KillDelay   int64    // from OutTerm or OutExit to OutKill (mapred.tasktracker.tasks.sleeptime-before-sigkill)
	IdleExit    int64    // how long a child that may run more tasks of its job waits for one
	Retry       int64    // wait after the first call that got no answer; doubles with every further one
	MaxRetry    int64    // up to this
}

// Machine is the TaskTracker. It belongs to one goroutine.
type Machine struct {
	conf Config
	now  int64
	out  []Output

	// The line to the JobTracker.
	tracker     int32
	cluster     string
	incarnation int64
	epoch       int64
	registered  bool
	calling     bool // a register call or a beat is in flight
	lost        int32
	nextCall    int64
	interval    int64
	seq         uint64
	full        bool // the next report carries every counter
	urgent      bool // the next report should not wait for the interval
	resetting   bool // given up by the JobTracker: waits for its children to die, then registers again
	stopping    bool
	stopped     bool
	ended       Ended

	slots      [2]int32
	containers bool // slots bound nothing
	draining   bool // no more work will come
	unhealthy  string
	attempts   []*attempt // in the order in which they were first desired
	byID       map[job.Attempt]*attempt
	jobs       []*jobState // in the order in which they were first desired
	children   []*child    // in the order in which they were started
	lastChild  int32
	warmAt     int64 // when warm children are next started
	warmFails  int32 // warm children that died in a row without having been of use
	fetch      []FetchFailure
	fetchSent  int

	report Report
}

// New makes a machine; its first Step registers.
func New(c Config) *Machine {
	return &Machine{conf: c, incarnation: c.Incarnation, slots: c.Slots, byID: map[job.Attempt]*attempt{}}
}

// Step takes one input and appends what is to be done, in order, to out. What the outputs point to is valid until the next
// Step.
func (m *Machine) Step(in *Input, out []Output) []Output {
	m.now = max(m.now, in.Now)
	m.out = out
	m.apply(in)
	m.fireDeadlines()
	m.startAttempts()
	m.startWarm()
	m.purgeJobs()
	m.callJobTracker()
	m.finishStop()
	out, m.out = m.out, nil
	return out
}

func (m *Machine) apply(in *Input) {
	switch in.Kind {
	case InTick:
	case InRegistered:
		m.onRegistered(in)
	case InDesired:
		m.onDesired(in.Desired)
	case InLost:
		m.onLost()
	case InNews:
		m.urgent = true
	case InJobReady, InJobFailed, InJobRefused:
		m.onLocalised(in)
	case InReady, InProgress, InInHand, InFetchFailed, InDone, InFailed, InExited:
		m.onChild(in)
	case InSlots:
		m.slots = in.Slots
		m.urgent = true
	case InHealth:
		m.urgent = m.urgent || m.unhealthy != in.Text
		m.unhealthy = in.Text
	case InShed:
		m.shed(in.Text)
	case InStop:
		m.onStop()
	default:
		m.ignore("unknown input")
	}
}

// NextDeadline tells when the machine wants an InTick, in milliseconds since the epoch; 0 = never.
func (m *Machine) NextDeadline() int64 {
	next := int64(0)
	earlier := func(t int64) {
		if t > 0 && (next == 0 || t < next) {
			next = t
		}
	}
	for _, a := range m.attempts {
		earlier(a.deadline)
	}
	for _, c := range m.children {
		earlier(c.deadline)
	}
	if m.lacksWarm() {
		earlier(m.warmAt)
	}
	if !m.calling && !m.resetting && !m.stopping {
		earlier(m.nextCall)
	}
	return next
}

func (m *Machine) fireDeadlines() {
	for _, a := range m.attempts {
		if a.deadline > 0 && m.now >= a.deadline {
			m.timeOut(a)
		}
	}
	for _, c := range m.children {
		if c.deadline > 0 && m.now >= c.deadline {
			m.escalate(c)
		}
	}
}

func (m *Machine) emit(o Output) { m.out = append(m.out, o) }

func (m *Machine) ignore(why string) { m.emit(Output{Kind: OutIgnored, Text: why}) }

// capacity is how many attempts may have a process: as many as there are slots, of whichever kind (a policy may lend a map slot
// to a reduce), or as the JobTracker wants at once, if its policy places tasks by memory and not by slots.
func (m *Machine) capacity() int32 {
	slots := m.slots[job.Map] + m.slots[job.Reduce]
	if !m.containers {
		return slots
	}
	wanted := int32(0)
	for _, a := range m.attempts {
		if a.wanted && (a.stage == waiting || a.stage == running) {
			wanted++
		}
	}
	return max(wanted, slots)
}

// busy counts the attempts that have a process. A killed attempt holds its place until the last of its processes is gone,
// although the JobTracker has given the slot away already.
func (m *Machine) busy() int32 {
	n := int32(0)
	for _, a := range m.attempts {
		if a.stage == running || a.stage == dying {
			n++
		}
	}
	return n
}

// onStop begins the end: nothing is called or started any more.
func (m *Machine) onStop() {
	if m.stopping {
		m.ignore("stopping already")
		return
	}
	m.stopping = true
	m.dropAll(false)
	for _, c := range m.children {
		if c.stage == starting || c.stage == idle {
			m.leave(c)
		}
	}
}

func (m *Machine) finishStop() {
	if m.stopping && !m.stopped && len(m.children) == 0 {
		m.stopped = true
		m.emit(Output{Kind: OutStopped})
	}
}

// dropAll ends every attempt and gives up every job. hard leaves the processes no time to end in good order; warm children
// stay, they have not seen anything of a job.
func (m *Machine) dropAll(hard bool) {
	for i := len(m.attempts) - 1; i >= 0; i-- {
		m.attempts[i].wanted = false
		m.drop(m.attempts[i])
	}
	for _, j := range m.jobs {
		j.wanted = false
	}
	for _, c := range m.children {
		if hard && c.job != 0 {
			m.kill(c)
		}
	}
	m.fetch, m.fetchSent = m.fetch[:0], 0
}

// cut bounds a text without cutting inside a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return s[:limit]
}
