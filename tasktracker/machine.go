package tasktracker

import (
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// Config holds the settings that do not change while a machine runs. All times are in milliseconds.
type Config struct {
	Slots       [2]int32 // initial map and reduce slots; InSlots changes them
	Incarnation int64    // incarnation of this process; grows with every restart of the tracker
	Warm        int32    // number of children to start in advance that run the TaskTracker's own program
	WarmDelay   int64    // delay between using a warm child and starting the next
	KillDelay   int64    // delay from OutTerm or OutExit to OutKill (mapred.tasktracker.tasks.sleeptime-before-sigkill)
	IdleExit    int64    // maximum time that a child that has worked waits for another task
	// JobsPerChild is the maximum number of jobs of one class that a child works for, one after
	// another. 0 means 1.
	JobsPerChild int32
	Retry        int64 // delay after the first call without a response; doubles after each subsequent failure
	MaxRetry     int64 // maximum of the doubled delay
	Shares       bool  // a share manager receives the limits and advice of every response
}

// Machine is the TaskTracker's state machine. It is not safe for concurrent use.
type Machine struct {
	conf Config
	now  int64
	out  []Output

	// These fields describe the connection to the JobTracker.
	tracker     int32
	cluster     string
	incarnation int64
	epoch       int64
	registered  bool
	calling     bool // a register call or a heartbeat is in flight
	lost        int32
	nextCall    int64
	interval    int64
	seq         uint64
	full        bool // the next report contains all counters
	urgent      bool // send the next report without waiting for the interval
	resetting   bool // the JobTracker expired this tracker, which waits until no job has children and then registers again
	stopping    bool
	stopped     bool
	ended       Ended

	slots      [2]int32
	containers bool // the slots do not limit the number of attempts
	draining   bool // the JobTracker assigns no more work
	unhealthy  string
	attempts   []*attempt // in the order in which the JobTracker first asked for them
	byID       map[job.Attempt]*attempt
	jobs       []*jobState // in the order in which the JobTracker first asked for them
	children   []*child    // in the order in which they started
	lastChild  int32
	warmAt     int64 // earliest time to start more warm children
	warmFails  int32 // number of warm children that have died since one last became ready
	fetch      []heartbeat.FetchFailure
	fetchSent  int

	// The driver measures these values. The machine only forwards them.
	otherLoad int32
	unheld    []heartbeat.Unheld
	shares    heartbeat.Shares
	newShares bool // the next report contains the shares

	report heartbeat.Report
}

// New returns a machine. Its first Step requests the registration.
func New(c Config) *Machine {
	return &Machine{conf: c, incarnation: c.Incarnation, slots: c.Slots, byID: map[job.Attempt]*attempt{}}
}

// Step processes one input and appends the resulting outputs to out, in order. The data that the
// outputs point to is valid until the next Step.
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
		m.onLocalized(in)
	case InReady, InProgress, InInHand, InFetchFailed, InDone, InFailed, InExited:
		m.onChild(in)
	case InSlots:
		m.slots = in.Slots
		m.urgent = true
	case InHealth:
		m.urgent = m.urgent || m.unhealthy != in.Text
		m.unhealthy = in.Text
	case InLoad:
		m.otherLoad = in.OtherLoad
	case InShares:
		m.shares.Capacity, m.shares.Tasks = in.Shares.Capacity, append(m.shares.Tasks[:0], in.Shares.Tasks...)
		m.newShares = true
	case InUnheld:
		m.unheld = append(m.unheld[:0], in.Unheld...)
	case InShed:
		m.shed(in.Text)
	case InStop:
		m.onStop()
	default:
		m.ignore("unknown input")
	}
}

// NextDeadline returns the time of the next required InTick, in ms since the epoch. 0 means never.
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

// capacity returns the maximum number of attempts that may have a process. It is the number of
// slots of both kinds, because a policy may use a map slot for a reduce. If the policy places tasks
// by memory instead of slots, it is at least the number of attempts that the JobTracker currently
// asks for.
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

// busy returns the number of attempts that have a process. A killed attempt counts until its last
// process has exited, even if the JobTracker has already assigned its slot to another attempt.
func (m *Machine) busy() int32 {
	n := int32(0)
	for _, a := range m.attempts {
		if a.stage == running || a.stage == dying {
			n++
		}
	}
	return n
}

// onStop begins the shutdown. From then on, the machine makes no calls and starts no processes.
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

// dropAll ends every attempt and drops every job. If hard is set, it does not give processes time
// to clean up. Children that are not assigned to a job remain.
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

// cut truncates s to at most limit bytes without splitting a rune. The result does not retain the
// rest of s.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return strings.Clone(s[:limit])
}
