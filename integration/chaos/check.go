package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// Violation is a promise of the JobTracker that was broken.
type Violation struct {
	Text string
	ID   job.ID // zero if the promise concerns only a key
	Key  string
}

func (v Violation) String() string { return v.Text }

// Check returns the broken promises in the history. The promises are:
//
//   - A submission key identifies at most one job, regardless of how often the client sends it.
//   - The JobTracker never forgets a job that it has reported to a client.
//   - A job's state moves forward only, and a terminal state never changes.
//   - Finished reduces stay finished. Finished maps also stay finished, unless reduces still need
//     their output.
//   - A job whose kill the JobTracker confirmed ends as KILLED, unless it had ended before. No other
//     job is killed, and no job fails.
//   - Once a client has learned that a job succeeded, the job's output is complete and equals the
//     reference. The output of a killed job is empty.
//   - If ended is set, every job that the JobTracker has reported to a client has ended.
//
// After a journal cut, the JobTracker may have forgotten its earlier replies about the jobs in
// Cut.Jobs. These jobs may fail unless a client has seen their complete output and keeps it. Even
// then, the output of a job that a client has seen succeed stays complete.
func (h *History) Check(ended bool) []Violation {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &checker{cuts: h.cuts, keys: map[string][]job.ID{}, jobs: map[job.ID]*past{}, ends: map[string]end{},
		whole: map[string]bool{}}
	events := slices.Clone(h.events)
	slices.SortStableFunc(events, func(a, b *Event) int { return cmp.Compare(a.End, b.End) })
	for _, e := range events {
		c.event(e)
	}
	c.finish(ended)
	return c.found
}

// checker contains the observations from the events so far. It processes events in the order in
// which they ended.
type checker struct {
	cuts  []Cut
	keys  map[string][]job.ID // IDs of jobs, by submission key
	jobs  map[job.ID]*past
	ids   []job.ID        // IDs in the order of their first appearance
	ends  map[string]end  // first observation of a job's end, by submission key
	whole map[string]bool // keys of the jobs whose complete output a client has seen and keeps
	found []Violation
}

// end is the first observation of a job's end.
type end struct {
	id    job.ID
	state job.State
	told  time.Duration
}

// past contains the observations of one job.
type past struct {
	key   string
	told  time.Duration // end of the call that first named the job
	seen  []sight       // in the order in which they ended
	kills []*Event      // kills that were, or may have been, carried out
	era   int           // number of cuts that affected the job
}

// sight is one observation of a job.
type sight struct {
	begin, end time.Duration
	job        *status.Job
}

func (c *checker) bad(id job.ID, key, format string, args ...any) {
	c.found = append(c.found, Violation{fmt.Sprintf(format, args...), id, key})
}

func (c *checker) event(e *Event) {
	switch {
	case e.Op == Submit && e.Answer == Told:
		c.named(e, e.ID, e.Key)
	case e.Op == Status && e.Answer == Told:
		c.seen(e, e.Jobs[0])
	case e.Op == Status && e.Answer == NotFound, e.Op == Kill && e.Answer == NotFound:
		c.missing(e, e.ID)
	case e.Op == Kill && e.Answer != Refused:
		if p := c.past(e, e.ID); p != nil {
			p.kills = append(p.kills, e)
		}
	case e.Op == List && e.Answer == Told:
		c.list(e)
	case e.Op == Output:
		c.output(e)
	}
}

// era returns the number of journal cuts that affected a job before a call began. clear is false if
// the call overlaps such a cut, because its answer may then be from before or after the cut.
func (c *checker) era(e *Event, id job.ID) (n int, clear bool) {
	for _, cut := range c.cuts {
		switch {
		case !slices.Contains(cut.Jobs, id):
		case e.Begin >= cut.Up:
			n++
		case e.End >= cut.Down:
			return n, false
		}
	}
	return n, true
}

// past returns the observations of a job in the era of event e, or nil if that era is not clear.
func (c *checker) past(e *Event, id job.ID) *past {
	n, clear := c.era(e, id)
	if !clear {
		return nil
	}
	p := c.jobs[id]
	if p == nil {
		p = &past{}
		c.jobs[id] = p
		c.ids = append(c.ids, id)
	}
	if n > p.era {
		*p = past{era: n} // the ID may now name another job
	}
	return p
}

// named records that a call associated the job id with key.
func (c *checker) named(e *Event, id job.ID, key string) {
	p := c.past(e, id)
	if p == nil {
		return
	}
	if p.told == 0 {
		p.told = e.End
	}
	switch {
	case p.key == "":
		p.key = key
	case p.key != key:
		c.bad(id, key, "%v is the job of %s and of %s: %v", id, p.key, key, e)
	}
	if !slices.Contains(c.keys[key], id) {
		c.keys[key] = append(c.keys[key], id)
	}
}

func (c *checker) missing(e *Event, id job.ID) {
	if p := c.past(e, id); p != nil && p.told > 0 && p.told < e.Begin {
		c.bad(id, p.key, "%v was told after %v and is forgotten: %v", id, p.told, e)
	}
}

func (c *checker) list(e *Event) {
	for _, j := range e.Jobs {
		c.seen(e, j)
	}
	for _, id := range c.ids {
		if p := c.jobs[id]; p.told > 0 && p.told < e.Begin &&
			!slices.ContainsFunc(e.Jobs, func(j *status.Job) bool { return j.ID == id }) {
			if _, clear := c.era(e, id); clear && !c.lostBetween(id, p.told, e.End) {
				c.bad(id, p.key, "%v was told after %v and is not listed: %v", id, p.told, e)
			}
		}
	}
}

func (c *checker) lostBetween(id job.ID, from, to time.Duration) bool {
	return slices.ContainsFunc(c.cuts, func(cut Cut) bool {
		return cut.Up >= from && cut.Down <= to && slices.Contains(cut.Jobs, id)
	})
}

// cutBetween reports whether a journal cut overlaps the given period. After any cut, the JobTracker
// may have forgotten how often it has started, on which the versions of job states depend.
func (c *checker) cutBetween(from, to time.Duration) bool {
	return slices.ContainsFunc(c.cuts, func(cut Cut) bool { return cut.Up >= from && cut.Down <= to })
}

// seen records an observation of a job and compares it with all previous observations of the job.
func (c *checker) seen(e *Event, j *status.Job) {
	c.named(e, j.ID, j.Name)
	p := c.past(e, j.ID)
	if p == nil {
		return
	}
	for _, before := range p.seen {
		c.compare(e, before, j, before.end < e.Begin)
	}
	c.alone(e, j)
	if _, known := c.ends[j.Name]; j.State.Terminal() && !known {
		c.ends[j.Name] = end{j.ID, j.State, e.End}
	}
	if n := len(p.seen); n > 0 && same(p.seen[n-1].job, j) {
		if e.Begin < p.seen[n-1].begin {
			return
		}
		if n > 1 && same(p.seen[n-2].job, j) {
			p.seen = p.seen[:n-1] // the first and the last observation of a state are enough
		}
	}
	p.seen = append(p.seen, sight{e.Begin, e.End, j})
}

func same(a, b *status.Job) bool {
	return a.State == b.State && a.Maps.Done == b.Maps.Done && a.Reduces.Done == b.Reduces.Done
}

// compare checks two observations of a job. ordered indicates whether the first ended before the
// second began.
func (c *checker) compare(e *Event, before sight, j *status.Job, ordered bool) {
	a := before.job
	bad := func(what string) { c.bad(j.ID, j.Name, "%s: %s at %v, and later %v", what, show(a), before.end, e) }
	switch {
	case a.State.Terminal() && j.State.Terminal() && a.State != j.State:
		bad("two ends")
	case ordered && rank(j.State) < rank(a.State):
		bad("the state went back")
	case a.Maps.Total != j.Maps.Total || a.Reduces.Total != j.Reduces.Total:
		bad("the number of tasks changed")
	case ordered && j.Reduces.Done < a.Reduces.Done:
		bad("a finished reduce was undone")
	case ordered && j.Maps.Done < a.Maps.Done && a.Reduces.Done == a.Reduces.Total:
		bad("a finished map was undone although no reduce needs it")
	case ordered && a.Version > 0 && j.Version > 0 && j.Version < a.Version && !c.cutBetween(before.end, e.Begin):
		bad("the version went back")
	case ordered && a.State.Terminal() && (a.Maps.Done != j.Maps.Done || a.Reduces.Done != j.Reduces.Done):
		bad("the tasks of an ended job changed")
	}
}

func rank(s job.State) int {
	switch {
	case s == job.Prep:
		return 0
	case s.Terminal():
		return 2
	}
	return 1
}

// alone checks the properties that every single observation must have.
func (c *checker) alone(e *Event, j *status.Job) {
	for _, t := range []status.Tasks{j.Maps, j.Reduces} {
		if t.Progress < 0 || t.Progress > 1 || t.Done < 0 || t.Done > t.Total || t.Running < 0 {
			c.bad(j.ID, j.Name, "impossible numbers: %v", e)
		}
		if j.State == job.Succeeded && (t.Done != t.Total || t.Progress != 1) && !lost(c.cuts, j.ID) {
			c.bad(j.ID, j.Name, "a success without all tasks: %v: %s", e, show(j))
		}
	}
	// The staged files of an ended job have been removed. If the journal has lost the end of the
	// job, and the output does not show that the job succeeded, the job therefore fails.
	if told := c.ends[j.Name]; j.State == job.Failed && told.id == j.ID && c.whole[j.Name] {
		c.bad(j.ID, j.Name, "success was told at %v, and later the job failed (%s): %v", told.told, j.Diagnostics, e)
	}
	if j.State == job.Failed && !lost(c.cuts, j.ID) {
		c.bad(j.ID, j.Name, "the job failed (%s): %v", j.Diagnostics, e)
	}
}

// output checks what a client found in the output directory of the job with the event's key.
func (c *checker) output(e *Event) {
	p, known := c.ends[e.Key]
	if !known || p.told >= e.Begin {
		return
	}
	f := e.Files
	c.whole[e.Key] = p.state == job.Succeeded && f.Success && f.Kept
	switch {
	case p.state == job.Succeeded && (!f.Success || f.Temporary || f.Wrong != ""):
		c.bad(p.id, e.Key, "success was told at %v, but the output is not complete: %v", p.told, e)
	case p.state == job.Killed && !lost(c.cuts, p.id) && (f.Success || f.Parts > 0 || f.Temporary):
		c.bad(p.id, e.Key, "KILLED was told at %v, but there is output: %v", p.told, e)
	}
}

// finish checks the properties that require the whole history.
func (c *checker) finish(ended bool) {
	keys := make([]string, 0, len(c.keys))
	for key := range c.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		ids := slices.DeleteFunc(slices.Clone(c.keys[key]), func(id job.ID) bool { return lost(c.cuts, id) })
		if len(ids) > 1 {
			var text []string
			for _, id := range ids {
				text = append(text, id.String())
			}
			c.bad(ids[0], key, "the submission %s is %d jobs: %s", key, len(ids), strings.Join(text, ", "))
		}
	}
	for _, id := range c.ids {
		p := c.jobs[id]
		last := job.Prep
		for _, s := range p.seen {
			if s.job.State.Terminal() {
				last = s.job.State
			}
		}
		switch {
		case last != job.Prep:
			c.killed(id, p, last)
		case ended && p.told > 0 && !lost(c.cuts, id):
			c.bad(id, p.key, "%v did not end", id)
		}
	}
}

// killed checks that the last state of a job agrees with the kills that clients sent.
func (c *checker) killed(id job.ID, p *past, last job.State) {
	if last == job.Killed && len(p.kills) == 0 && !lost(c.cuts, id) {
		c.bad(id, p.key, "%v is KILLED, but nobody killed it", id)
	}
	if last != job.Succeeded {
		return
	}
	for _, k := range p.kills {
		if k.Answer != Told {
			continue
		}
		for _, s := range p.seen {
			if s.begin > k.End && !s.job.State.Terminal() {
				c.bad(id, p.key, "the kill was confirmed, and the job ran on and succeeded: %v", k)
				break
			}
		}
	}
}

func lost(cuts []Cut, id job.ID) bool {
	return slices.ContainsFunc(cuts, func(c Cut) bool { return slices.Contains(c.Jobs, id) })
}
