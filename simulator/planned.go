package simulator

import (
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/simulator/replay"
)

// planned is the state of a plan during a run. It holds the remaining faults in chronological
// order, and draws the random outcomes of attempts.
type planned struct {
	next     int64 // time of the next fault
	real     bool  // trackers are real state machines
	plan     Plan
	seed     uint64
	base     int64 // time of the first submission in the run
	faults   []fault
	locality [3]int64 // factors of a map's duration by locality, in millionths; all 0 means as recorded
	crashes  uint64   // number of crashes drawn so far
	// timer overrides the duration of a task; nil means no override.
	timer func(t *task, shuffle, rest int64) (int64, int64)
}

type faultKind uint8

const (
	faultLoad faultKind = iota
	faultLose
	faultLeave
	faultStart
	faultJoin
	faultCrash // the tracker dies, restarts later, and crashes again
)

// fault is a planned event on a node.
type fault struct {
	at    int64
	kind  faultKind
	node  int // from 0
	share int64
	slots bool
	luck  bool // a random crash or the restart after it; another crash always follows
}

func (p *Plan) begin(c *Config) (planned, error) {
	w := planned{next: never, seed: c.Seed}
	if p == nil {
		return w, nil
	}
	if err := p.validate(c.trackers()); err != nil {
		return w, err
	}
	w.plan, w.real = *p, p.faulty()
	if p.Locality != [3]float64{} {
		for i, f := range p.Locality {
			if w.locality[i] = million; f != 0 {
				w.locality[i] = millionths(f)
			}
		}
	}
	return w, nil
}

// start schedules the plan's faults, whose times are relative to the first submission.
func (w *planned) start(e *engine) {
	w.base = e.next.Submit + e.shift
	p := &w.plan
	nodes := len(e.nodes)
	for _, j := range p.Joins {
		for range j.Count {
			w.add(fault{at: w.base + j.At, kind: faultJoin, node: nodes})
			nodes++
		}
	}
	for _, l := range p.Loads {
		each(l.Nodes, nodes, func(i int) {
			w.add(fault{at: w.base + l.At, kind: faultLoad, node: i, share: millionths(l.Share), slots: l.Slots})
		})
	}
	for _, a := range p.Aways {
		kind := faultLose
		if a.Leave {
			kind = faultLeave
		}
		each(a.Nodes, nodes, func(i int) {
			w.add(fault{at: w.base + a.At, kind: kind, node: i})
			if a.Back > 0 {
				w.add(fault{at: w.base + a.Back, kind: faultStart, node: i})
			}
		})
	}
	for i := range e.nodes {
		w.crash(w.base, i)
	}
}

// speed returns the node's speed without other load, in millionths. If several settings apply, the
// last one wins.
func (w *planned) speed(node int) int64 {
	f := int64(million)
	for _, s := range w.plan.Speeds {
		if s.Nodes == nil || slices.Contains(s.Nodes, node+1) {
			f = millionths(s.Factor)
		}
	}
	return f
}

func each(list Nodes, all int, f func(i int)) {
	if list == nil {
		for i := range all {
			f(i)
		}
	}
	for _, n := range list {
		if n <= all {
			f(n - 1)
		}
	}
}

// add inserts the fault in chronological order. Faults with equal times stay in insertion order.
func (w *planned) add(f fault) {
	i := len(w.faults)
	for i > 0 && w.faults[i-1].at > f.at {
		i--
	}
	w.faults = slices.Insert(w.faults, i, f)
	w.next = w.faults[0].at
}

// more reports whether any fault remains, other than crashes and the restarts that follow them.
func (w *planned) more() bool {
	return slices.ContainsFunc(w.faults, func(f fault) bool { return !f.luck })
}

// crash draws the next crash of the node, after the given time.
func (w *planned) crash(after int64, node int) {
	if w.plan.Crash.Every == 0 {
		return
	}
	w.crashes++
	u := float64(replay.Draw(w.seed, replay.StreamCrash, uint64(node), w.crashes)>>11+1) / (1 << 53)
	w.add(fault{at: after + 1 + int64(-math.Log(u)*float64(w.plan.Crash.Every)), kind: faultCrash, node: node, luck: true})
}

// act carries out the next fault.
func (w *planned) act(e *engine) {
	f := w.faults[0]
	w.faults = w.faults[1:]
	w.next = never
	if len(w.faults) > 0 {
		w.next = w.faults[0].at
	}
	if f.kind == faultJoin {
		e.join(f.node)
	} else if f.node < len(e.nodes) {
		w.hit(e, e.nodes[f.node], f)
	}
}

func (w *planned) hit(e *engine, n *node, f fault) {
	switch f.kind {
	case faultLoad:
		n.load(e, f.share, f.slots)
	case faultStart:
		if !n.up {
			n.start(e)
			n.beatAt, n.due = e.now, e.now
		}
	case faultLeave:
		if n.up {
			h := n.report.Tracker
			n.stop(e)
			e.step(inLeave, &jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: h})
		}
	case faultLose, faultCrash:
		if n.up {
			n.stop(e)
		}
		if f.kind == faultCrash {
			w.add(fault{at: e.now + w.plan.Crash.Down, kind: faultStart, node: n.index, luck: true})
			w.crash(e.now+w.plan.Crash.Down, n.index)
		}
	}
	e.wakeups.fix(n)
}

// join adds node i and starts its tracker.
func (e *engine) join(i int) {
	n := e.newNode(i)
	e.shares.add(n)
	n.due = never
	e.nodes = append(e.nodes, n)
	e.wakeups.add(n)
	n.start(e)
	n.beatAt, n.due = e.now, e.now
	e.wakeups.fix(n)
}

// load sets the share of the node's CPU that other tenants use.
func (n *node) load(e *engine, share int64, slots bool) {
	n.report.OtherLoad = int32(share)
	n.dirty = true
	old := n.speed
	n.speed, n.report.Slots = n.own, n.slots
	if slots {
		n.report.Slots = left(n.slots, share)
	} else {
		n.speed = max(1, n.own*(million-share)/million)
	}
	n.retime(e, old)
	if n.tt != nil {
		n.setSlots(e)
	}
}

// retime adjusts the remaining time of the node's tasks after its speed has changed.
func (n *node) retime(e *engine, old int64) {
	if n.speed == old {
		return
	}
	stretch := func(at *int64) {
		if *at != never && *at > e.now {
			*at = e.now + ((*at-e.now)*old+n.speed-1)/n.speed
		}
	}
	for _, t := range n.tasks {
		stretch(&t.sorted)
		stretch(&t.end)
	}
	n.changed(e)
}

func (w *planned) draw(stream uint64, id job.Attempt) uint64 {
	return replay.Draw(w.seed, stream, uint64(id.Job), uint64(id.Type), uint64(id.Index), uint64(id.N))
}

// straggle returns the factor by which the attempt slows down, in millionths.
func (w *planned) straggle(id job.Attempt) int64 {
	s := w.plan.Straggle
	if s.Share == 0 || replay.Millionths(w.draw(replay.StreamStraggle, id)) >= millionths(s.Share) {
		return million
	}
	return millionths(s.Factor)
}

// mapTime returns the duration at full speed of a map whose recorded duration is ms. The result
// depends on random straggling, the location of the map's input, and w.timer.
func (w *planned) mapTime(e *engine, t *task, ms int64) int64 {
	ms = ms * w.straggle(t.id) / million
	if w.locality != [3]int64{} {
		if a := e.m.Attempt(t.id); a != nil && a.Locality <= job.OffSwitch {
			ms = ms * w.locality[a.Locality] / million
		}
	}
	if w.timer != nil {
		_, ms = w.timer(t, 0, ms)
	}
	return max(1, ms)
}

func (w *planned) reduceTime(t *task, shuffle, rest int64) (int64, int64) {
	f := w.straggle(t.id)
	shuffle, rest = shuffle*f/million, rest*f/million
	if w.timer != nil {
		shuffle, rest = w.timer(t, shuffle, rest)
	}
	return shuffle, max(1, rest)
}

// chance decides at random whether the attempt fails, and at which point.
func (w *planned) chance(e *engine, t *task) {
	if w.plan.Fail == 0 {
		return
	}
	x := w.draw(replay.StreamFail, t.id)
	if replay.Millionths(x) >= millionths(w.plan.Fail) {
		return
	}
	t.fails, t.failure = true, "failed by plan"
	t.end = e.now + 1 + (t.end-e.now-1)*replay.Millionths(x>>20)/million
}
