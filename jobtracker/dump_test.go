package jobtracker

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
)

// dump returns a canonical text of the durable state. Two machines have the same dump if they have
// applied the same facts, or a snapshot of them. It omits state that heartbeats restore, such as
// progress, used slots, and dying attempts.
func dump(m *Machine) string { return string((&dumper{m: m}).machine()) }

// alike compares the dumps of two machines. The fault schedules compare often, so alike formats the
// text only if the machines differ.
func alike(one, other *Machine) (difference string, ok bool) {
	raw := func(m *Machine) []byte { return (&dumper{m: m, raw: true, b: make([]byte, 0, 8192)}).machine() }
	if bytes.Equal(raw(one), raw(other)) {
		return "", true
	}
	return differ(dump(one), dump(other)), false
}

func (d *dumper) machine() []byte {
	m := d.m
	d.line("cluster %s starts %d last %d used %v pending %v totals %d %v %d %d speculable %d", m.cluster, m.starts,
		m.lastID, m.used.ranges, m.pending, m.totals.Trackers, m.totals.Slots, m.totals.Memory, m.totals.VCores, m.speculable)
	d.line("order %v running %v ending %v finished %v live %v handles %v avoided %v", m.order, m.running, m.ending,
		m.finished, m.live, m.handles, m.avoided)
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
		d.tracker(m.trackers.Get(h))
	}
	for _, seq := range m.order {
		d.job(m.jobs.Get(seq))
	}
	return d.b
}

type dumper struct {
	m   *Machine
	raw bool // write only values, for comparison
	b   []byte
}

func (d *dumper) line(format string, args ...any) {
	if d.raw {
		for _, a := range args {
			d.b = appendRaw(d.b, reflect.ValueOf(a))
		}
	} else {
		d.b = fmt.Appendf(d.b, format, args...)
	}
	d.b = append(d.b, '\n')
}

// appendRaw appends an unambiguous encoding of a value.
func appendRaw(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Slice, reflect.Array:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendRaw(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendRaw(b, v.Field(i))
		}
		return b
	}
	panic(fmt.Sprintf("a dump of a %v", v.Type()))
}

func (d *dumper) tracker(t *tracker) {
	v := &t.view
	d.line("tracker %d %s %s %s %s inc %d joined %d lost %v %d %q black %v %q %d slots %v %d %d has %v %d %d drained %d "+
		"refs %d run %v jobs %v", v.Handle, v.Name, v.Host, v.Rack, t.addr,
		t.incarnation, t.joined, t.lost, t.lostAt, t.lostWhy, t.blacklisted, t.blackText, t.blackAt, v.Slots, v.Memory,
		v.VCores, t.slots, t.memory, t.vcores, t.drained, t.refs, placed(t), t.jobs)
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
	d.line("job %d %v prio %v submit %d start %d tasks %v pending %v running %v finished %v", v.Seq, v.State, v.Priority,
		v.Submit, v.Start, v.Tasks, v.Pending, v.Running, v.Finished)
	d.line(" spec %+v", *v.Spec)
	d.line(" kill %v %d %q commit %d abort %d end %v finish %d %v %q pending %v failed %v", j.killWanted, j.killAt,
		j.killText, j.commitAt, j.abortAt, j.endState, j.finish, j.kind, j.text, j.pending, j.view.Failed)
	d.counters(" own", &j.counters)
	d.counters(" final", j.final)
	for i := range j.log {
		l := j.entry(i)
		d.line(" log %v %d %v %v %v %q %v %v %v %d", l.attempt.view.ID, l.at(), l.state, l.kind, l.reopened, l.text, l.inHand,
			l.passed, l.taskEnd, l.taskEndedAt())
	}
	for _, c := range j.outputs {
		d.line(" output %+v", c)
	}
	var blamed []string
	for _, b := range j.blamed {
		blamed = append(blamed, fmt.Sprintf("%s %d %v %d %q %v %d %q", d.m.names[b.who].name, b.failures, b.listed,
			b.listedAt, b.text, b.refused, b.refusedAt, b.refusal))
	}
	sort.Strings(blamed)
	d.line(" blamed %q", blamed)
	for typ := range j.live {
		var live []job.Attempt
		for _, a := range j.live[typ] {
			live = append(live, a.ID)
		}
		d.line(" live %v width %d", live, v.Width[typ])
	}
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			d.task(job.TaskType(typ), i, j.expand(job.TaskType(typ), i))
		}
	}
}

func (d *dumper) task(typ job.TaskType, i int, k *task) {
	if k.state == job.TaskPending && len(k.attempts()) == 0 {
		return
	}
	d.line(" task %v %d %v winner %d failures %d live %d granted %d failed on %v", typ, i, k.state, k.winner,
		k.past().failures, k.live, k.granted, d.names(k.past().failedOn))
	if k.past().skip != nil {
		d.line("  skips %+v", *k.past().skip)
	}
	for _, a := range k.attempts() {
		v := &a.view
		if a.plan != nil {
			d.line("  plan %+v", *a.plan)
		}
		if !a.over() {
			d.line("  attempt %v on %d slot %v x%d %v live since %d born %d limits %d %d", v.ID, v.Tracker, v.Slot, v.Width,
				v.Locality, v.Start, a.born, a.cpu, a.memory)
			continue
		}
		d.line("  attempt %v on %d slot %v x%d %v %v %d-%d %v %q %d %d %v born %d", v.ID, v.Tracker, v.Slot, v.Width,
			v.Locality, v.State, v.Start, a.view.Finish, a.kind, a.text, v.ShuffleDone, v.SortDone, a.manifest, a.born)
		d.counters("   ", a.counters.fill(&job.Counters{}))
	}
}

func (d *dumper) counters(what string, c *job.Counters) {
	if c == nil {
		return
	}
	d.b = append(d.b, what...)
	for i, v := range c.Builtin {
		if v != 0 {
			d.line(" %d=%d", i, v)
		}
	}
	for _, u := range c.User {
		d.line(" %s.%s=%d", u.Group, u.Name, u.Value)
	}
	d.b = append(d.b, '\n')
}

// differ returns the first lines that differ between two dumps.
func differ(a, b string) string {
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

// placed returns the attempts that a tracker must run, in a fixed order.
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
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Index, b.Index),
			cmp.Compare(a.N, b.N))
	})
}
