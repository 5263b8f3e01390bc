package jobtracker

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
)

// dump writes the durable state canonically: two machines with the same dump have gone through the same facts, or through
// a snapshot of them. What beats bring back (progress, used slots, dying attempts) is left out.
func dump(m *Machine) string {
	d := &dumper{m: m}
	d.line("cluster %s starts %d last %d used %v pending %v totals %d %v %d %d speculable %d", m.cluster, m.starts, m.lastID, m.used.ranges, m.pending, m.totals.Trackers, m.totals.Slots, m.totals.Memory, m.totals.VCores, m.speculable)
	d.line("order %v running %v ending %v finished %v live %v handles %v avoided %v", m.order, m.running, m.ending, m.finished, m.live, m.handles, m.avoided)
	for k, v := range ordered.All(m.keys) {
		d.line("key %q %d", k, v)
	}
	var drains []string
	for _, n := range m.names {
		if n.drain != DrainOff {
			drains = append(drains, fmt.Sprint(n.name, n.drain, n.drainAt, n.drainWhy))
		}
	}
	sort.Strings(drains)
	d.line("drains %q", drains)
	for _, h := range m.handles {
		d.tracker(m.trackers[h])
	}
	for _, seq := range m.order {
		d.job(m.jobs[seq])
	}
	return d.b.String()
}

type dumper struct {
	m *Machine
	b strings.Builder
}

func (d *dumper) line(format string, args ...any) {
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func (d *dumper) tracker(t *tracker) {
	v := &t.view
	var run []string
	for _, a := range t.run {
		run = append(run, fmt.Sprint(a.view.ID))
	}
	sort.Strings(run)
	d.line("tracker %d %s %s %s %s inc %d joined %d lost %v %d %q black %v %q %d slots %v %d %d has %v %d %d drained %d refs %d run %v jobs %v", v.Handle, v.Name, v.Host, v.Rack, t.addr,
		t.incarnation, t.joined, t.lost, t.lostAt, t.lostWhy, t.blacklisted, t.blackText, t.blackAt, v.Slots, v.Memory, v.VCores, t.slots, t.memory, t.vcores, t.drained, t.refs, run, t.jobs)
}

func (d *dumper) names(who []int32) []string {
	var names []string
	for _, w := range who {
		names = append(names, d.m.names[w].name)
	}
	sort.Strings(names)
	return names
}

func (d *dumper) job(j *jobState) {
	v := &j.view
	d.line("job %d %v prio %v submit %d start %d tasks %v pending %v running %v finished %v", v.Seq, v.State, v.Priority, v.Submit, v.Start, v.Tasks, v.Pending, v.Running, v.Finished)
	d.line(" spec %+v", *v.Spec)
	d.line(" kill %v %d %q commit %d abort %d end %v finish %d %v %q pending %v failed %v", j.killWanted, j.killAt, j.killText, j.commitAt, j.abortAt, j.endState,
		j.finish, j.kind, j.text, j.pending, j.view.Failed)
	d.counters(" own", &j.counters)
	d.counters(" final", j.final)
	for i := range j.log {
		l := &j.log[i]
		d.line(" log %v %d %v %v %v %q %v %v %v %d", l.attempt.view.ID, l.time, l.state, l.kind, l.reopened, l.text, l.inHand, l.passed, l.taskEnd, l.taskEndAt)
	}
	for _, c := range j.outputs {
		d.line(" output %+v", c)
	}
	var blamed []string
	for _, b := range j.blamed {
		blamed = append(blamed, fmt.Sprintf("%s %d %v %d %q %v %d %q", d.m.names[b.who].name, b.failures, b.listed, b.listedAt, b.text, b.refused, b.refusedAt, b.refusal))
	}
	sort.Strings(blamed)
	d.line(" blamed %q", blamed)
	for typ := range j.live {
		var live []string
		for _, a := range j.live[typ] {
			live = append(live, fmt.Sprint(a.ID.Index, "_", a.ID.N))
		}
		d.line(" live %v width %d", live, v.Width[typ])
	}
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			d.task(job.TaskType(typ), i, &j.tasks[typ][i])
		}
	}
}

func (d *dumper) task(typ job.TaskType, i int, k *task) {
	if k.state == job.TaskPending && len(k.attempts) == 0 {
		return
	}
	d.line(" task %v %d %v winner %d failures %d live %d granted %d end %d failed on %v", typ, i, k.state, k.winner, k.failures, k.live, k.granted, k.end, d.names(k.failedOn))
	if k.skip != nil {
		d.line("  skips %+v", *k.skip)
	}
	for _, a := range k.attempts {
		v := &a.view
		if a.plan != nil {
			d.line("  plan %+v", *a.plan)
		}
		if !a.over() {
			d.line("  attempt %v on %d slot %v x%d %v live since %d born %d limits %d %d", v.ID, v.Tracker, v.Slot, v.Width, v.Locality, v.Start, a.born, a.cpu, a.memory)
			continue
		}
		d.line("  attempt %v on %d slot %v x%d %v %v %d-%d %v %q %d %d %v born %d", v.ID, v.Tracker, v.Slot, v.Width, v.Locality, v.State, v.Start, a.end, a.kind, a.text,
			a.shuffleDone, a.sortDone, a.manifest, a.born)
		d.counters("   ", a.counters)
	}
}

func (d *dumper) counters(what string, c *job.Counters) {
	if c == nil {
		return
	}
	d.b.WriteString(what)
	for i, v := range c.Builtin {
		if v != 0 {
			fmt.Fprintf(&d.b, " %d=%d", i, v)
		}
	}
	for _, u := range c.User {
		fmt.Fprintf(&d.b, " %s.%s=%d", u.Group, u.Name, u.Value)
	}
	d.b.WriteByte('\n')
}

// difference shows the first lines in which two dumps differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		var p, q string
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if p != q {
			return fmt.Sprintf("line %d\n  one:   %s\n  other: %s", i, p, q)
		}
	}
	return ""
}

// placed lists the attempts that a tracker shall run, in a fixed order.
func placed(t *tracker) []job.Attempt {
	var ids []job.Attempt
	for _, a := range t.run {
		ids = append(ids, a.view.ID)
	}
	sortAttempts(ids)
	return ids
}

func sortAttempts(ids []job.Attempt) {
	slices.SortFunc(ids, func(a, b job.Attempt) int {
		return strings.Compare(fmt.Sprintf("%08d%d%08d%04d", a.Job, a.Type, a.Index, a.N), fmt.Sprintf("%08d%d%08d%04d", b.Job, b.Type, b.Index, b.N))
	})
}
