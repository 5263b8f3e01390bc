package jobtracker

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Drain says how a tracker is emptied so that it may leave without loss. In every way it gets no new work and its slots count
// for nothing; what its attempts have done is never held against them.
type Drain uint8

// The ways to drain. Their numbers are in journals.
const (
	DrainOff       Drain = iota // it works
	DrainDelayed                // attempts end; map outputs are served until no unfinished job needs them (Fawkes, section 4.2.2: DP)
	DrainRerun                  // attempts end; finished maps whose output is still needed then run again elsewhere
	DrainImmediate              // attempts are killed and run again elsewhere; so do finished maps whose output is needed (IP)
	numDrains
)

var drainNames = [numDrains]string{"off", "delayed", "rerun", "immediate"}

func (d Drain) String() string {
	if d < numDrains {
		return drainNames[d]
	}
	return "unknown"
}

// ParseDrain reads the name of a way to drain.
func ParseDrain(s string) (Drain, error) {
	if i := slices.Index(drainNames[:], s); i >= 0 {
		return Drain(i), nil
	}
	return 0, failure.New(failure.Usage, "drain", s, errors.New("there is no such way to drain")).Fix("say delayed, rerun or immediate")
}

// drain begins, changes or calls off the drain of a tracker.
func (m *Machine) drain(in *Input) {
	const op = "drain a tracker"
	who, known := m.nameIDs[in.Name]
	switch {
	case in.Drain >= numDrains:
		m.refuse(in, failure.New(failure.Usage, op, in.Name, fmt.Errorf("there is no way number %d", in.Drain)))
		return
	case !known || m.liveByName(who) == nil && m.names[who].drain == DrainOff:
		m.refuse(in, failure.New(failure.NotFound, op, in.Name, errors.New("there is no live tracker of that name")).
			Fix("howdah job -list-active-trackers tells the names"))
		return
	}
	if m.names[who].drain != in.Drain {
		m.setDrain(who, in.Drain, clip(in.Text))
	}
	handle := int32(0)
	if t := m.liveByName(who); t != nil {
		handle = t.view.Handle
		m.settleDrain(t)
	}
	m.reply(in, Output{Tracker: handle})
}

func (m *Machine) setDrain(who int32, how Drain, why string) {
	e := m.fact(event.TrackerDraining)
	e.Name, e.N, e.Text = m.names[who].name, int64(how), why
	if t := m.liveByName(who); t != nil {
		e.Tracker = t.view.Handle
		m.grew = m.grew || how == DrainOff
	}
	m.emit(e)
}

// settleDrain draws the conclusions from a tracker's drain: what is to be killed or to run again, and whether it is done.
func (m *Machine) settleDrain(t *tracker) {
	how := m.names[t.who].drain
	if how == DrainOff || t.lost || t.drained > 0 {
		return
	}
	if how == DrainImmediate {
		m.killAllOn(t)
	}
	if len(t.run) > 0 || len(t.dying) > 0 || t.unheard {
		return
	}
	if how >= DrainRerun {
		m.reopenAllOn(t, "the tracker is drained: "+t.view.Name)
	}
	if m.neededOutputs(t, 1) > 0 {
		return
	}
	e := m.fact(event.TrackerDrained)
	e.Tracker = t.view.Handle
	m.emit(e)
}

func (m *Machine) killAllOn(t *tracker) {
	for len(t.run) > 0 {
		a := t.run[0]
		j, k := m.task(a.view.ID.Task)
		m.kill(a, failure.Node, "the tracker is drained")
		m.settleTask(j, k)
		m.settleJob(j)
	}
}

// neededOutputs counts the finished maps of a tracker whose output some reduce may still fetch, up to a number.
func (m *Machine) neededOutputs(t *tracker, enough int) int {
	n := 0
	for _, seq := range t.jobs {
		j := m.jobs[seq]
		if !j.needsMapOutput() {
			continue
		}
		for i := range j.tasks[job.Map] {
			if j.holds(t, i) {
				if n++; n >= enough {
					return n
				}
			}
		}
	}
	return n
}

// holds tells whether the output of a finished map lies on a tracker.
func (j *jobState) holds(t *tracker, index int) bool {
	k := &j.tasks[job.Map][index]
	return k.state == job.TaskSucceeded && k.attempts[k.winner].view.Tracker == t.view.Handle
}

func (m *Machine) applyDraining(e *event.Event) error {
	if e.Name == "" || e.N < 0 || e.N >= int64(numDrains) {
		return refused(e, "tracker %q cannot be drained in way %d", e.Name, e.N)
	}
	who := m.who(e.Name)
	n := &m.names[who]
	n.drain, n.drainAt, n.drainWhy = Drain(e.N), e.Time, e.Text
	if n.drain == DrainOff {
		n.drainAt, n.drainWhy = 0, ""
	}
	for _, h := range m.live {
		if t := m.trackers[h]; t.who == who {
			m.showSlots(t)
		}
	}
	return nil
}

func (m *Machine) applyDrained(e *event.Event) error {
	t := m.trackers[e.Tracker]
	if t == nil || t.lost || m.names[t.who].drain == DrainOff {
		return refused(e, "tracker %d is not being drained", e.Tracker)
	}
	t.drained = e.Time
	return nil
}

// showSlots lets policies see what a live tracker offers: nothing while it is drained.
func (m *Machine) showSlots(t *tracker) {
	m.addSlots(t, -1)
	t.view.Slots, t.view.Memory, t.view.VCores = t.slots, t.memory, t.vcores
	if t.draining = m.names[t.who].drain != DrainOff; t.draining {
		t.view.Slots, t.view.Memory, t.view.VCores = [2]int32{}, 0, 0
	} else {
		t.drained = 0
	}
	m.addSlots(t, +1)
}

// DrainInfo is how far a tracker's drain is; the zero value = it is not being drained.
type DrainInfo struct {
	How     Drain
	Why     string
	Since   int64 // milliseconds since the epoch
	Done    int64 // nothing on it is needed any more; 0 = not yet
	Outputs int   // finished maps whose output is still needed
}

// DrainInfo tells about the drain of a live tracker. It looks at every map of the unfinished jobs that ran there.
func (m *Machine) DrainInfo(handle int32) DrainInfo {
	t := m.trackers[handle]
	if t == nil || !t.draining {
		return DrainInfo{}
	}
	n := &m.names[t.who]
	d := DrainInfo{How: n.drain, Why: n.drainWhy, Since: n.drainAt, Done: t.drained}
	if d.Done == 0 {
		d.Outputs = m.neededOutputs(t, math.MaxInt)
	}
	return d
}
