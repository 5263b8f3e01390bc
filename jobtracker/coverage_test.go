package jobtracker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
)

// coverage counts the pairs of state and input that the schedules have exercised. A legal pair has
// an effect. Every other pair must be exercised too, and it must change nothing. The machine
// rejects an illegal request with a reason, or does nothing if quiet contains the pair. It ignores
// an illegal line of a report.
type coverage struct {
	hits map[kind]int
	last []pair // pairs of the current step
	was  map[job.Attempt]string
}

// kind is a pair of an object's state and an input.
type kind struct{ what, state, input string }

func (k kind) String() string { return k.what + " " + k.state + " × " + k.input }

// pair is a kind and the object that it concerns.
type pair struct {
	kind
	job     int32
	attempt job.Attempt
}

func newCoverage() *coverage { return &coverage{hits: map[kind]int{}} }

var (
	jobStates = []string{"unknown", "PREP", "RUNNING", "COMMITTING waiting", "COMMITTING", "ABORTING waiting",
		"ABORTING", "SUCCEEDED", "FAILED", "KILLED"}
	attemptStates = []string{"unknown", "UNASSIGNED", "RUNNING", "SUCCEEDED needed", "SUCCEEDED", "FAILED", "KILLED"}
	trackerStates = []string{"unknown", "live", "lost"}
	drainStates   = []string{"unknown", "works", "draining", "drained", "draining and gone"}
	sayings       = []string{"said UNASSIGNED", "said RUNNING", "said SUCCEEDED", "said FAILED", "said KILLED",
		"said nonsense"}
	launches     = []string{"first", "second attempt"}
	otherSayings = []string{"said UNASSIGNED by another tracker", "said RUNNING by another tracker",
		"said SUCCEEDED by another tracker", "said FAILED by another tracker",
		"said KILLED by another tracker", "said nonsense by another tracker"}
)

func saying(s job.AttemptState, other bool) string {
	i := min(int(s), len(sayings)-1)
	if other {
		return otherSayings[i]
	}
	return sayings[i]
}

// space returns all kinds and whether each is legal.
func space() map[kind]bool {
	all := map[kind]bool{}
	put := func(what, input string, states []string, legal ...string) {
		for _, s := range states {
			all[kind{what, s, input}] = false
		}
		for _, s := range legal {
			all[kind{what, s, input}] = true
		}
	}
	for _, t := range job.JobTransitions {
		put("job", "becomes "+t.To.String(), []string{t.From.String()}, t.From.String())
	}
	for _, t := range job.TaskTransitions {
		put("task", "becomes "+t.To.String(), []string{t.From.String()}, t.From.String())
	}
	put("job", "kill", jobStates, "PREP", "RUNNING")
	put("job", "set priority", jobStates, "PREP", "RUNNING", "COMMITTING waiting", "COMMITTING", "ABORTING waiting",
		"ABORTING")
	put("job", "set wrong priority", jobStates)
	put("job", "set deadline", jobStates, "PREP", "RUNNING", "COMMITTING waiting", "COMMITTING", "ABORTING waiting",
		"ABORTING")
	put("job", "set wrong deadline", jobStates)
	put("job", "move", jobStates, "PREP", "RUNNING", "COMMITTING waiting", "COMMITTING", "ABORTING waiting", "ABORTING")
	put("job", "move to an unknown pool", jobStates)
	put("job", "published", jobStates, "RUNNING")
	put("job", "commit done", jobStates, "COMMITTING")
	put("job", "commit failed", jobStates, "COMMITTING")
	put("job", "cleanup done", jobStates, "ABORTING")
	put("job", "cleanup failed", jobStates, "ABORTING")
	put("job", "submit again", jobStates[1:], jobStates[1:]...)
	put("job", "refused by a tracker", jobStates, "PREP", "RUNNING", "COMMITTING waiting", "COMMITTING",
		"ABORTING waiting", "ABORTING")
	put("attempt", "kill", attemptStates, "UNASSIGNED", "RUNNING")
	put("attempt", "fail", attemptStates, "UNASSIGNED", "RUNNING")
	for i, s := range sayings {
		if s == "said nonsense" {
			put("attempt", s, attemptStates)
		} else {
			put("attempt", s, attemptStates, "UNASSIGNED", "RUNNING")
		}
		put("attempt", otherSayings[i], attemptStates[1:])
	}
	put("attempt", "not said", []string{"UNASSIGNED", "RUNNING"}, "RUNNING")
	put("attempt", "not fetched", attemptStates, "SUCCEEDED needed")
	put("attempt", "tracker lost", attemptStates[1:], "UNASSIGNED", "RUNNING", "SUCCEEDED needed")
	put("attempt", "never started", []string{"UNASSIGNED"}, "UNASSIGNED")
	put("tracker", "register", trackerStates[:1], "unknown")
	put("tracker", "register again", trackerStates[1:], "live")
	put("tracker", "register newer", trackerStates[1:], "live", "lost")
	put("tracker", "register older", trackerStates[1:])
	put("tracker", "register from an excluded host", trackerStates)
	put("tracker", "beat", trackerStates, "live")
	put("tracker", "old beat", trackerStates[1:2])
	put("tracker", "beat of another incarnation", trackerStates[1:])
	put("tracker", "leave", trackerStates, "live")
	put("tracker", "silent too long", []string{"live"}, "live")
	put("tracker", "excluded", []string{"live"}, "live")
	for _, how := range drainNames {
		put("drain", how, drainStates, drainStates[1:]...)
	}
	put("drain", "no way", drainStates)
	put("launch", "in the task's own kind of slot", launches, launches...)
	put("launch", "in a borrowed slot", launches, launches...)
	put("launch", "in several slots", launches, launches...)
	put("launch", "in a container", launches, launches...)
	put("scheduler", "change", []string{"policy", "no policy", "speculator", "no speculator"}, "policy", "speculator",
		"no speculator")
	return all
}

// quiet holds the pairs whose requests are accepted without effect. Examples are killing a job that
// has ended and deregistering a lost tracker.
var quiet = map[kind]bool{
	{"job", "ABORTING waiting", "kill"}: true, {"job", "ABORTING", "kill"}: true,
	{"job", "SUCCEEDED", "kill"}: true, {"job", "FAILED", "kill"}: true, {"job", "KILLED", "kill"}: true,
	{"tracker", "unknown", "leave"}: true, {"tracker", "lost", "leave"}: true,
}

func jobLabel(m *Machine, seq int32) string {
	j := m.jobs.Get(seq)
	switch {
	case j == nil:
		return "unknown"
	case (j.view.State == job.Committing || j.view.State == job.Aborting) && !j.asked:
		return j.view.State.String() + " waiting"
	}
	return j.view.State.String()
}

func attemptLabel(m *Machine, id job.Attempt) string {
	j, k, a := m.attempt(id)
	switch {
	case a == nil:
		return "unknown"
	case a.view.State == job.AttemptSucceeded && id.Type == job.Map && k.winner == id.N && j.needsMapOutput():
		return "SUCCEEDED needed"
	}
	return a.view.State.String()
}

func trackerLabel(t *tracker) string {
	switch {
	case t == nil:
		return "unknown"
	case t.lost:
		return "lost"
	}
	return "live"
}

func drainLabel(m *Machine, name string) string {
	who, known := m.nameIDs[name]
	if !known {
		return "unknown"
	}
	t, drains := m.liveByName(who), m.names[who].drain != DrainOff
	switch {
	case t == nil && drains:
		return "draining and gone"
	case t == nil:
		return "unknown"
	case !drains:
		return "works"
	case t.drained > 0:
		return "drained"
	}
	return "draining"
}

// before records the pairs that an input forms with the current states.
func (c *coverage) before(m *Machine, in *Input) {
	c.last, c.was = c.last[:0], nil
	onJob := func(input string) {
		c.last = append(c.last, pair{kind: kind{"job", jobLabel(m, in.Job), input}, job: in.Job})
	}
	ended := func(input string) string {
		if in.Err != "" {
			return input + " failed"
		}
		return input + " done"
	}
	switch in.Kind {
	case InKillJob:
		onJob("kill")
	case InSetPriority:
		if in.Priority > job.VeryHigh {
			onJob("set wrong priority")
		} else {
			onJob("set priority")
		}
	case InSetDeadline:
		if in.Millis < 0 {
			onJob("set wrong deadline")
		} else {
			onJob("set deadline")
		}
	case InMoveJob:
		if in.Text == "" {
			onJob("move to an unknown pool")
		} else {
			onJob("move")
		}
	case InPublished:
		onJob("published")
	case InCommitDone:
		onJob(ended("commit"))
	case InAbortDone:
		onJob(ended("cleanup"))
	case InSubmit:
		if in.Spec != nil && m.keys[in.Spec.SubmitKey] != 0 {
			seq := m.keys[in.Spec.SubmitKey]
			c.last = append(c.last, pair{kind: kind{"job", jobLabel(m, seq), "submit again"}, job: seq})
		}
	case InKillAttempt:
		c.onAttempt(m, in.Attempt, "kill")
	case InFailAttempt:
		c.onAttempt(m, in.Attempt, "fail")
	case InRegister:
		c.onRegister(m, in.Register)
	case InBeat:
		c.onBeat(m, in.Report)
	case InTrackerLeave:
		c.onTracker(m.trackers.Get(in.Tracker), "leave")
	case InDrain:
		input := "no way"
		if in.Drain < numDrains {
			input = in.Drain.String()
		}
		c.last = append(c.last, pair{kind: kind{"drain", drainLabel(m, in.Name), input}})
	case InSetPolicy, InSetSpeculator:
		what := "policy"
		if in.Kind == InSetSpeculator {
			what = "speculator"
		}
		if in.Policy == nil {
			what = "no " + what
		}
		c.last = append(c.last, pair{kind: kind{"scheduler", what, "change"}})
	}
	switch in.Kind {
	case InTick, InRegister, InTrackerLeave, InHosts: // can lose trackers
		c.was = map[job.Attempt]string{}
		for _, seq := range m.order {
			m.Attempts(seq, func(a AttemptInfo) bool {
				c.was[a.ID] = attemptLabel(m, a.ID)
				return true
			})
		}
	}
}

func (c *coverage) onAttempt(m *Machine, id job.Attempt, input string) {
	c.last = append(c.last, pair{kind: kind{"attempt", attemptLabel(m, id), input}, attempt: id})
}

func (c *coverage) onTracker(t *tracker, input string) {
	c.last = append(c.last, pair{kind: kind{"tracker", trackerLabel(t), input}})
}

func (c *coverage) onRegister(m *Machine, r *Register) {
	if r == nil {
		return
	}
	var t *tracker
	known, seen := m.nameIDs[r.Name]
	if seen {
		t = m.trackers.Get(m.names[known].handle)
	}
	switch {
	case len(m.excluded) > 0 && r.Host == m.excluded[0]:
		c.onTracker(t, "register from an excluded host")
	case t == nil && !seen:
		c.onTracker(nil, "register")
	case t == nil:
	case r.Incarnation > t.incarnation:
		c.onTracker(t, "register newer")
	case r.Incarnation == t.incarnation:
		c.onTracker(t, "register again")
	default:
		c.onTracker(t, "register older")
	}
}

func (c *coverage) onBeat(m *Machine, r *heartbeat.Report) {
	if r == nil {
		return
	}
	t := m.trackers.Get(r.Tracker)
	switch {
	case t == nil || t.lost && t.incarnation == r.Incarnation:
		c.onTracker(t, "beat")
		return
	case t.incarnation != r.Incarnation:
		c.onTracker(t, "beat of another incarnation")
		return
	case r.Seq <= t.seq:
		c.onTracker(t, "old beat")
		return
	}
	c.onTracker(t, "beat")
	said := map[job.Attempt]bool{}
	for i := range r.Attempts {
		id := r.Attempts[i].Attempt
		said[id] = true
		_, _, a := m.attempt(id)
		c.onAttempt(m, id, saying(r.Attempts[i].State, a != nil && a.view.Tracker != r.Tracker))
	}
	for _, a := range t.run {
		if !said[a.view.ID] {
			c.onAttempt(m, a.view.ID, "not said")
		}
	}
	for _, f := range r.Fetch {
		if _, _, a := m.attempt(f.Reduce); a != nil && !a.over() && a.view.Tracker == r.Tracker &&
			f.Reduce.Job == f.Map.Job || attemptLabel(m, f.Map) != "SUCCEEDED needed" {
			c.onAttempt(m, f.Map, "not fetched")
		}
	}
	for _, f := range r.Refused {
		c.last = append(c.last, pair{kind: kind{"job", jobLabel(m, f.Job), "refused by a tracker"}, job: f.Job})
	}
}

// after counts the pairs of the step and checks that illegal pairs had no effect.
func (c *coverage) after(w *world, out []Output, reply Output) {
	for _, p := range c.last {
		c.count(w, p, out, reply)
	}
	for _, o := range out {
		if o.Kind == OutFact {
			c.countFact(w, o.Event, out)
		}
	}
}

var legalPairs = space()

func (c *coverage) count(w *world, p pair, out []Output, reply Output) {
	key := p.kind
	c.hits[key]++
	legal, known := legalPairs[key]
	request := p.what == "job" && p.input != "refused by a tracker" || p.what == "attempt" &&
		(p.input == "kill" || p.input == "fail") ||
		p.what == "tracker" && strings.HasPrefix(p.input, "register") || p.what == "scheduler" || p.what == "drain"
	switch {
	case !known:
		w.fail("the pair %s is not in the table", key)
	case legal && request && reply.Err != nil:
		w.fail("%s was refused: %v", key, reply.Err)
	case legal:
		return
	case request && !quiet[key] && reply.Err == nil:
		w.fail("%s was not refused", key)
	case p.what == "tracker" && strings.HasPrefix(p.input, "beat") && (reply.Desired == nil || !reply.Desired.Register):
		w.fail("%s was not told to register", key)
	}
	for _, o := range out {
		if o.Kind == OutFact && c.touches(o.Event, p) {
			w.fail("%s led to %v", key, o.Event.Type)
		}
	}
}

// touches reports whether a fact is an effect that an illegal pair must not have.
func (c *coverage) touches(e *event.Event, p pair) bool {
	switch p.what {
	case "attempt":
		if p.input == "not fetched" { // the same report can end a drain, which reopens the tracker's maps
			return e.Type == event.TaskReopened && e.Attempt == p.attempt && e.State == job.AttemptFailed
		}
		// The same report can kill the attempt for another reason, because another attempt has won
		// or the job ends.
		return e.Type == event.AttemptFinished && e.Attempt == p.attempt && p.input != "not said" &&
			e.State != job.AttemptKilled
	case "job":
		return e.Job == p.job && p.job != 0 && e.Type != event.JobRetired && p.input != "refused by a tracker"
	}
	return p.input == "old beat" || e.Type == event.SchedulerChanged || e.Type == event.TrackerDraining
}

// countLaunch counts a launch by the kind of slot and by whether the task has another running
// attempt. m must have just applied the fact.
func (c *coverage) countLaunch(m *Machine, e *event.Event) {
	_, k := m.task(e.Attempt.Task)
	if e.Type != event.AttemptStarted || k == nil || isChore(e) {
		return
	}
	key := kind{"launch", launches[min(k.live, 2)-1], "in the task's own kind of slot"}
	switch {
	case e.Slot == job.Container:
		key.input = "in a container"
	case e.N > 1:
		key.input = "in several slots"
	case e.Slot != e.Attempt.Type:
		key.input = "in a borrowed slot"
	}
	c.hits[key]++
}

func (c *coverage) countFact(w *world, e *event.Event, out []Output) {
	lost := strings.HasPrefix(e.Text, "Lost task tracker")
	id := kind{what: "attempt", state: c.was[e.Attempt]}
	switch {
	case id.state == "" && e.Type != event.TrackerLost:
		return
	case lost && e.Type == event.AttemptFinished, lost && e.Type == event.TaskReopened:
		id.input = "tracker lost"
		if !legalPairs[id] {
			w.fail("%s led to %v", id, e.Type)
		}
	case e.Type == event.AttemptFinished && e.Text == "the tracker never started the attempt":
		id.input = "never started"
	case e.Type == event.TrackerLost:
		c.countLost(w, e)
		return
	default:
		return
	}
	c.hits[id]++
}

// countLost counts the reason why a tracker was lost, and the attempts on it that the loss must not
// change.
func (c *coverage) countLost(w *world, e *event.Event) {
	p := kind{what: "tracker", state: "live"}
	switch {
	case strings.HasPrefix(e.Text, "no heartbeat"):
		p.input = "silent too long"
		c.hits[p]++
	case e.Text == "the host is excluded":
		p.input = "excluded"
		c.hits[p]++
	}
	for id, state := range c.was {
		if _, _, a := w.m.attempt(id); a != nil && a.view.Tracker == e.Tracker &&
			!legalPairs[kind{"attempt", state, "tracker lost"}] {
			c.hits[kind{"attempt", state, "tracker lost"}]++
		}
	}
}

// states holds the states of the job and the tasks that a fact concerns.
type states struct {
	job   job.State
	tasks []job.TaskState
}

func statesOf(m *Machine, e *event.Event) (s states) {
	j := m.jobs.Get(e.Job)
	if j == nil {
		return s
	}
	s.job = j.view.State
	if e.Type == event.JobFinished {
		for _, tasks := range j.tasks {
			for i := range tasks {
				s.tasks = append(s.tasks, tasks[i].state)
			}
		}
	} else if _, k := m.task(e.Attempt.Task); k != nil && e.Attempt.Job != 0 {
		s.tasks = append(s.tasks, k.state)
	}
	return s
}

// changes counts the state changes of a fact.
func (c *coverage) changes(before, after states) {
	if before.job != after.job {
		c.hits[kind{"job", before.job.String(), "becomes " + after.job.String()}]++
	}
	for i := range min(len(before.tasks), len(after.tasks)) {
		if b, a := before.tasks[i], after.tasks[i]; b != a {
			c.hits[kind{"task", b.String(), "becomes " + a.String()}]++
		}
	}
}

func (c *coverage) add(o *coverage) {
	for k, n := range o.hits {
		c.hits[k] += n
	}
}

// judge prints the coverage. A full run must exercise nearly all legal pairs and all illegal pairs.
func (c *coverage) judge(t *testing.T, strict bool) {
	var legal, legalHit, other, otherHit int
	var missed []string
	for key, ok := range legalPairs {
		hit := 0
		if c.hits[key] > 0 {
			hit = 1
		} else {
			missed = append(missed, fmt.Sprintf("%s (legal: %v)", key, ok))
		}
		if ok {
			legal, legalHit = legal+1, legalHit+hit
		} else {
			other, otherHit = other+1, otherHit+hit
		}
	}
	slices.Sort(missed)
	if testing.Verbose() {
		var all []string
		for k, n := range c.hits {
			all = append(all, fmt.Sprintf("%s: %d", k, n))
		}
		slices.Sort(all)
		t.Log(strings.Join(all, "\n"))
	}
	t.Logf("state × event: %d of %d legal pairs driven (%d%%), %d of %d others driven and without effect",
		legalHit, legal, 100*legalHit/legal, otherHit, other)
	for _, m := range missed {
		t.Logf("not driven: %s", m)
	}
	if strict && (legalHit*100 < legal*95 || otherHit < other) {
		t.Errorf("too little was driven")
	}
}
