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

// Drain is a way to drain a tracker so that it can leave without loss. A draining tracker gets no
// new work, and its slots do not count as available. Attempts that the drain kills do not count as
// failures.
type Drain uint8

// The ways to drain. Journals contain the numbers.
const (
	DrainOff Drain = iota // no drain
	// Attempts run to completion. The tracker serves map outputs until no unfinished job needs them
	// (Fawkes, section 4.2.2: DP).
	DrainDelayed
	// Attempts run to completion. Then finished maps run again elsewhere if their output is still
	// needed.
	DrainRerun
	// Attempts are killed and run again elsewhere. Finished maps also run again if their output is
	// needed (Fawkes: IP).
	DrainImmediate
	numDrains
)

var drainNames = [numDrains]string{"off", "delayed", "rerun", "immediate"}

func (d Drain) String() string {
	if d < numDrains {
		return drainNames[d]
	}
	return "unknown"
}

// ParseDrain parses the name of a way to drain.
func ParseDrain(s string) (Drain, error) {
	if i := slices.Index(drainNames[:], s); i >= 0 {
		return Drain(i), nil
	}
	return 0, failure.New(failure.Usage, "drain", s, errors.New("unknown drain mode")).
		Fix("use delayed, rerun or immediate")
}

// drain starts, changes, or cancels the drain of a tracker.
func (m *Machine) drain(in *Input) {
	const op = "drain a tracker"
	who, known := m.nameIDs[in.Name]
	switch {
	case in.Drain >= numDrains:
		m.refuse(in, failure.New(failure.Usage, op, in.Name, fmt.Errorf("unknown drain mode %d", in.Drain)))
		return
	case !known || m.liveByName(who) == nil && m.names[who].drain == DrainOff:
		m.refuse(in, failure.New(failure.NotFound, op, in.Name, errors.New("no live TaskTracker has this name")).
			Fix("howdah job -list-active-trackers lists the names"))
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

// settleDrain advances the drain of a tracker. Depending on the mode, it kills attempts and reopens
// maps. Once nothing on the tracker is needed, it records the end of the drain.
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

// neededOutputs returns the number of a tracker's finished maps whose output reduces may still
// fetch. It stops counting once the count reaches enough.
func (m *Machine) neededOutputs(t *tracker, enough int) int {
	n := 0
	for _, seq := range t.jobs {
		j := m.jobs.Get(seq)
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

// holds reports whether the map with the given index has finished and t has its output.
func (j *jobState) holds(t *tracker, index int) bool {
	k := &j.tasks[job.Map][index]
	if k.course == &compacted {
		return j.remainsOf(job.Map, index).tracker == t.view.Handle
	}
	return k.state == job.TaskSucceeded && k.attempts()[k.winner].view.Tracker == t.view.Handle
}

func (m *Machine) applyDraining(e *event.Event) error {
	if e.Name == "" || e.N < 0 || e.N >= int64(numDrains) {
		return refused(e, "tracker %q has the unknown drain mode %d", e.Name, e.N)
	}
	who := m.who(e.Name)
	n := &m.names[who]
	n.drain, n.drainAt, n.drainWhy = Drain(e.N), e.Time, e.Text
	for _, h := range m.live {
		if t := m.trackers.Get(h); t.who == who {
			m.showSlots(t)
		}
	}
	return nil
}

func (m *Machine) applyDrained(e *event.Event) error {
	t := m.trackers.Get(e.Tracker)
	if t == nil || t.lost || m.names[t.who].drain == DrainOff {
		return refused(e, "tracker %d is not being drained", e.Tracker)
	}
	t.drained = e.Time
	return nil
}

// showSlots updates the resources of a live tracker that policies see, after a change of its drain:
// none while it drains, otherwise all.
func (m *Machine) showSlots(t *tracker) {
	m.addSlots(t, -1)
	t.view.Slots, t.view.Memory, t.view.VCores = t.slots, t.memory, t.vcores
	if t.draining = m.names[t.who].drain != DrainOff; t.draining {
		t.view.Slots, t.view.Memory, t.view.VCores = [2]int32{}, 0, 0
	} else {
		t.drained = 0
	}
	m.addSlots(t, +1)
	m.noteRoom(t)
}

// DrainInfo is the progress of a tracker's drain. The zero value means no drain.
type DrainInfo struct {
	How     Drain
	Why     string
	Since   int64 // milliseconds since the epoch
	Done    int64 // time since which nothing on the tracker is needed; 0 means not yet
	Outputs int   // number of finished maps whose output is still needed
}

// DrainInfo returns the progress of the drain of a live tracker. It can be expensive, because it
// may visit all maps of every unfinished job that has run on the tracker.
func (m *Machine) DrainInfo(handle int32) DrainInfo {
	t := m.trackers.Get(handle)
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
