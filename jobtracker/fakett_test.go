package jobtracker

import (
	"fmt"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// fakeTT models a TaskTracker that follows the protocol. It makes one call at a time and ignores
// replies to earlier calls. Its reports list all attempts, and it starts each attempt at most once.
type fakeTT struct {
	w          *world
	name, host string
	rack       string
	slots      [2]int32
	inc        int64
	handle     int32 // 0 means not registered
	up         bool
	cut        bool // no message can pass in either direction
	seq        uint64
	answered   uint64 // sequence number of the latest answered call
	full       bool
	unhealthy  string
	tasks      []*fakeTask
	outputs    map[job.Attempt]bool // map outputs on the tracker; false means damaged
	started    map[job.Attempt]bool // in this incarnation
	fetch      []heartbeat.FetchFailure
	refuses    map[int32]bool
	told       []int32 // jobs that the tracker must keep
}

type fakeTask struct {
	id       job.Attempt
	state    job.AttemptState
	progress int32
	killed   bool
	fetched  []bool
	kind     failure.Kind
	text     string
	skips    fakeSkips
}

func (t *fakeTT) restart() {
	t.w.incarnation++
	t.inc, t.handle, t.seq, t.answered, t.full = t.w.incarnation, 0, 0, 0, true
	t.up = true
	t.tasks, t.fetch = nil, nil
	t.outputs, t.started = map[job.Attempt]bool{}, map[job.Attempt]bool{}
}

// report returns the tracker's next message to the JobTracker.
func (t *fakeTT) report() Input {
	if t.handle == 0 {
		return Input{Kind: InRegister, Register: &Register{Name: t.name, Host: t.host, Rack: t.rack, Addr: t.name + ":1",
			Incarnation: t.inc, Slots: t.slots, Memory: 1024, VCores: 2}}
	}
	t.seq++
	r := &heartbeat.Report{Tracker: t.handle, Incarnation: t.inc, Seq: t.seq, Full: t.full, Slots: t.slots,
		Unhealthy: t.unhealthy, Fetch: t.fetch}
	t.fetch = nil
	for _, k := range t.tasks {
		a := heartbeat.AttemptReport{Attempt: k.id, State: k.state, Progress: k.progress, Kind: k.kind, Text: k.text,
			Counters: k.counters(), Range: k.skips.hand}
		if k.state == job.AttemptSucceeded {
			a.Manifest = []job.OutputFile{{Name: fmt.Sprint(k.id), Length: 1}}
			a.ShuffleDone, a.SortDone = t.w.now-2, t.w.now-1
		}
		r.Attempts = append(r.Attempts, a)
		if t.refuses[k.id.Job] {
			r.Refused = append(r.Refused, heartbeat.Refusal{Job: k.id.Job, Text: "no common storage"})
		}
	}
	return Input{Kind: InBeat, Report: r}
}

// counters returns counters whose values are the task's index plus one. The ledger expects these
// values of winners.
func (k *fakeTask) counters() *job.Counters {
	c := &job.Counters{}
	id := job.MapInputRecords
	if k.id.Type == job.Reduce {
		id = job.ReduceInputRecords
	}
	c.Builtin[id] = int64(k.id.Index) + 1
	c.Add("model", "weight", int64(k.id.Index)+1)
	return c
}

func (t *fakeTT) find(id job.Attempt) *fakeTask {
	i := slices.IndexFunc(t.tasks, func(k *fakeTask) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return t.tasks[i]
}

// obey establishes the state that the JobTracker desires.
func (t *fakeTT) obey(d *heartbeat.Desired) {
	if d.Register {
		t.restart()
		return
	}
	if d.Seq != t.seq || d.Seq == t.answered {
		return
	}
	t.answered = d.Seq
	t.full = d.Full
	for _, id := range d.Run {
		if t.find(id) == nil {
			t.start(id)
		}
	}
	kept := t.tasks[:0]
	for _, k := range t.tasks {
		if slices.Contains(d.Run, k.id) {
			kept = append(kept, k)
			continue
		}
		if !k.state.Terminal() { // the attempt ends after a while
			k.killed = true
			kept = append(kept, k)
		}
	}
	t.tasks = kept
	for id := range t.outputs {
		if !slices.Contains(d.Jobs, id.Job) {
			delete(t.outputs, id)
		}
	}
	t.told = slices.Clone(d.Jobs)
}

func (t *fakeTT) start(id job.Attempt) {
	if t.started[id] {
		t.w.fail("%v was launched twice on %s", id, t.name)
	}
	t.started[id] = true
	n := int32(0)
	if j := t.w.ledger.jobs[id.Job]; j != nil {
		n = j.spec.Tasks(job.Map)
	}
	k := &fakeTask{id: id, state: job.AttemptAssigned, fetched: make([]bool, n)}
	t.tasks = append(t.tasks, k)
}

// work advances one task. While faults are enabled, the task can fail in many ways.
func (t *fakeTT) work(k *fakeTask, faults bool) {
	switch {
	case k.killed:
		t.tasks = slices.DeleteFunc(t.tasks, func(o *fakeTask) bool { return o == k })
		return
	case k.state.Terminal() || t.refuses[k.id.Job]:
		return
	}
	if !t.w.askSkip(k) {
		return
	}
	k.state = job.AttemptRunning
	if t.w.meetsBadRecord(k) {
		k.state, k.kind, k.text = job.AttemptFailed, failure.User, "a bad record"
		return
	}
	k.progress = min(million, k.progress+int32(t.w.rng.IntN(million)))
	if faults {
		switch n := t.w.rng.IntN(100); {
		case n < 10:
			k.state, k.kind, k.text = job.AttemptFailed, failure.User, "boom"
			return
		case n < 13:
			k.state, k.kind, k.text = job.AttemptFailed, failure.Timeout,
				"Task failed to report status for 600 seconds. Killing!"
			return
		case n < 16:
			k.state, k.kind, k.text = job.AttemptKilled, failure.Node, "the tracker is out of memory"
			return
		}
	}
	if k.id.Type > job.Reduce {
		k.state = job.AttemptSucceeded
		return
	}
	if !t.w.mayCommit(k) {
		return
	}
	if k.id.Type == job.Map {
		if k.progress == million || t.w.rng.IntN(2) == 0 {
			k.state = job.AttemptSucceeded
			t.outputs[k.id] = !faults || t.w.rng.IntN(8) > 0
		}
		return
	}
	if t.shuffle(k) {
		k.state = job.AttemptSucceeded
	}
}

// shuffle fetches the available map outputs of a reduce and reports failed fetches to the
// JobTracker. It reports whether the reduce has all outputs.
func (t *fakeTT) shuffle(k *fakeTask) bool {
	if t.w.down {
		return false
	}
	all := true
	latest := map[int32]Completion{}
	for _, c := range t.w.m.Completions(k.id.Job) {
		if l, seen := latest[c.Map]; c.Obsolete && seen && l.Attempt == c.Attempt {
			delete(latest, c.Map)
		} else if !c.Obsolete {
			latest[c.Map] = c
		}
	}
	for i := range k.fetched {
		if k.fetched[i] {
			continue
		}
		c, ok := latest[int32(i)]
		switch {
		case !ok:
			all = false
		case c.Attempt < 0 || t.w.fetch(c, k.id.Job):
			k.fetched[i] = true
		default:
			all = false
			t.fetch = append(t.fetch, heartbeat.FetchFailure{Reduce: k.id,
				Map: job.Attempt{Task: job.Task{Job: k.id.Job, Type: job.Map, Index: int32(i)}, N: c.Attempt}})
		}
	}
	return all
}

// fetch fetches a map output over the network and reports whether it succeeded.
func (w *world) fetch(c Completion, seq int32) bool {
	id := job.Attempt{Task: job.Task{Job: seq, Type: job.Map, Index: c.Map}, N: c.Attempt}
	for _, t := range w.tts {
		if t.handle != c.Tracker || t.handle == 0 || !t.up || t.cut {
			continue
		}
		good, there := t.outputs[id]
		if j := w.ledger.jobs[seq]; !there && j != nil && j.state == job.Running {
			w.fail("%s was ordered to delete %v, which a reduce needs", t.name, id)
		}
		return good
	}
	return false
}
