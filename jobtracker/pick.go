package jobtracker

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
)

// pickIndex finds a job's pending tasks. Each of its lists has a cursor that skips the entries at
// the front that are not pending. The cursor moves back when a task becomes pending again.
type pickIndex struct {
	splits   []job.SplitMeta
	rank     []int32  // indexed by map: its rank by input length, largest first, ties by index
	all      pickList // every map
	anywhere pickList // maps without a location
	hosts    map[string]*pickList
	racks    map[string]*pickList
	rackList []*pickList // the lists in racks, in order of creation
	topology int64       // version of rackOf that racks was built from; 0 = not built
	reduces  int32       // cursor: no reduce with a lower index is pending
}

// pickList contains indices of maps, ordered by rank.
type pickList struct {
	items []int32
	from  int // cursor: no entry before it is pending
}

// newPickIndex returns the index of a job. ascending contains the numbers from 0 to the number of
// maps. The index uses it instead of lists of its own if the order of the maps permits.
func newPickIndex(splits []job.SplitMeta, ascending []int32) pickIndex {
	p := pickIndex{splits: splits, hosts: map[string]*pickList{}, rank: ascending}
	longest := func(a, b job.SplitMeta) int { return cmp.Compare(b.Length, a.Length) }
	order := ascending
	if !slices.IsSortedFunc(splits, longest) {
		order = slices.Clone(ascending)
		slices.SortStableFunc(order, func(a, b int32) int { return longest(splits[a], splits[b]) })
		p.rank = make([]int32, len(splits))
		for r, i := range order {
			p.rank[i] = int32(r)
		}
	}
	p.all.items = order
	if !slices.ContainsFunc(splits, func(s job.SplitMeta) bool { return len(s.Hosts) > 0 }) {
		p.anywhere.items = order
		return p
	}
	entries := 0
	p.each(order, func(l *pickList, _ int32) {
		l.from++ // for now, the number of entries
		entries++
	})
	room := make([]int32, entries) // of all lists, so that none has unused room
	p.each(order, func(l *pickList, i int32) {
		if l.items == nil {
			l.items, room, l.from = room[:0:l.from], room[l.from:], 0
		}
		l.add(i)
	})
	return p
}

// each calls f with each map and the lists that contain it. It creates the lists of hosts.
func (p *pickIndex) each(maps []int32, f func(l *pickList, index int32)) {
	for _, i := range maps {
		if len(p.splits[i].Hosts) == 0 {
			f(&p.anywhere, i)
		}
		for _, h := range p.splits[i].Hosts {
			l := p.hosts[h]
			if l == nil {
				l = &pickList{}
				p.hosts[h] = l
			}
			f(l, i)
		}
	}
}

// ascending returns the numbers from 0 to n-1. Callers share the list and must not change it.
func (m *Machine) ascending(n int) []int32 {
	if len(m.numbers) < n {
		m.numbers = make([]int32, n+n/2)
		for i := range m.numbers {
			m.numbers[i] = int32(i)
		}
	}
	return m.numbers[:n:n]
}

// add appends a map unless it is already the last entry. A map can list several hosts of the same
// rack, or the same host twice.
func (l *pickList) add(index int32) {
	if n := len(l.items); n == 0 || l.items[n-1] != index {
		l.items = append(l.items, index)
	}
}

// buildRacks builds the rack lists from the hosts' known racks. It does nothing if the table of
// racks has not changed.
func (p *pickIndex) buildRacks(rackOf map[string]string, version int64) {
	if p.topology == version || len(p.hosts) == 0 {
		return
	}
	p.topology = version
	p.racks = map[string]*pickList{}
	p.rackList = nil
	for _, i := range p.all.items {
		for _, h := range p.splits[i].Hosts {
			r, known := rackOf[h]
			if !known {
				continue
			}
			l := p.racks[r]
			if l == nil {
				l = &pickList{}
				p.racks[r] = l
				p.rackList = append(p.rackList, l)
			}
			l.add(i)
		}
	}
}

// returned moves the cursors back after a task has become pending again.
func (p *pickIndex) returned(typ job.TaskType, index int32) {
	if typ == job.Reduce {
		p.reduces = min(p.reduces, index)
		return
	}
	p.all.returned(p.rank, index)
	if len(p.splits[index].Hosts) == 0 {
		p.anywhere.returned(p.rank, index)
		return
	}
	for _, h := range p.splits[index].Hosts {
		p.hosts[h].returned(p.rank, index)
	}
	for _, l := range p.rackList {
		l.returned(p.rank, index)
	}
}

func (l *pickList) returned(rank []int32, index int32) {
	i, found := slices.BinarySearchFunc(l.items, rank[index],
		func(item, r int32) int { return cmp.Compare(rank[item], r) })
	if found {
		l.from = min(l.from, i)
	}
}

// first returns the first pending map in the list that the tracker may run.
func (l *pickList) first(m *Machine, j *jobState, t *tracker) (int32, bool) {
	if l == nil {
		return 0, false
	}
	tasks := j.tasks[job.Map]
	for l.from < len(l.items) && tasks[l.items[l.from]].state != job.TaskPending {
		l.from++
	}
	for _, i := range l.items[l.from:] {
		if tasks[i].state == job.TaskPending && m.taskMayRun(j, &tasks[i], job.Map, t) {
			return i, true
		}
	}
	return 0, false
}

// PickMap implements scheduler.View. It treats a map without a location as local.
func (m *Machine) PickMap(seq, handle int32, farthest job.Locality) (int32, job.Locality, bool) {
	j, t := m.jobs.Get(seq), m.trackers.Get(handle)
	if j == nil || t == nil || j.view.Pending[job.Map] == 0 || !m.jobMayRun(j, t) {
		return 0, 0, false
	}
	p := &j.pick
	if i, ok := p.hosts[t.view.Host].first(m, j, t); ok {
		return i, job.DataLocal, true
	}
	if i, ok := p.anywhere.first(m, j, t); ok {
		return i, job.NoData, true
	}
	if farthest >= job.RackLocal && t.view.Rack != "" {
		p.buildRacks(m.rackOf, m.topology)
		if i, ok := p.racks[t.view.Rack].first(m, j, t); ok {
			return i, job.RackLocal, true
		}
	}
	if farthest >= job.OffSwitch {
		if i, ok := p.all.first(m, j, t); ok {
			return i, m.locality(j, i, t), true
		}
	}
	return 0, 0, false
}

// PickReduce implements scheduler.View.
func (m *Machine) PickReduce(seq, handle int32) (int32, bool) {
	j, t := m.jobs.Get(seq), m.trackers.Get(handle)
	if j == nil || t == nil || j.view.Pending[job.Reduce] == 0 || !m.jobMayRun(j, t) {
		return 0, false
	}
	tasks := j.tasks[job.Reduce]
	for int(j.pick.reduces) < len(tasks) && tasks[j.pick.reduces].state != job.TaskPending {
		j.pick.reduces++
	}
	for i := int(j.pick.reduces); i < len(tasks); i++ {
		if tasks[i].state == job.TaskPending && m.taskMayRun(j, &tasks[i], job.Reduce, t) {
			return int32(i), true
		}
	}
	return 0, false
}

// locality returns the locality of a map's input relative to the tracker.
func (m *Machine) locality(j *jobState, index int32, t *tracker) job.Locality {
	hosts := j.view.Spec.Splits[index].Hosts
	if len(hosts) == 0 {
		return job.NoData
	}
	if slices.Contains(hosts, t.view.Host) {
		return job.DataLocal
	}
	for _, h := range hosts {
		if r, known := m.rackOf[h]; known && r == t.view.Rack && r != "" {
			return job.RackLocal
		}
	}
	return job.OffSwitch
}

// trackerWorks reports whether a tracker may receive new work.
func trackerWorks(t *tracker) bool {
	return !t.lost && !t.blacklisted && !t.draining && t.unhealthy == ""
}

// jobMayRun reports whether a tracker may run tasks of a job. The tracker must accept work and be
// able to read the job's files, and not too many of the job's attempts may have failed on it.
// Failures do not count if the job would then exclude a quarter or more of the cluster (Hadoop:
// JobInProgress.shouldRunOnTaskTracker) or if the other trackers are too small for the job's tasks.
func (m *Machine) jobMayRun(j *jobState, t *tracker) bool {
	if !trackerWorks(t) {
		return false
	}
	b := j.blameOf(t.who)
	return b == nil || !b.refused && (!b.listed || !m.blacklistCounts(j))
}

func (m *Machine) blacklistCounts(j *jobState) bool {
	flaky := 0
	for i := range j.blamed {
		if j.blamed[i].listed && m.liveByName(j.blamed[i].who) != nil {
			flaky++
		}
	}
	return flaky*4 < len(m.live) && m.runsElsewhere(j)
}

// runsElsewhere reports whether the trackers outside the job's blacklist are large enough for its
// waiting tasks, including its setup or cleanup task.
func (m *Machine) runsElsewhere(j *jobState) bool {
	elsewhere := func(typ job.TaskType) bool {
		return slices.ContainsFunc(m.live, func(h int32) bool { return m.couldRun(j, typ, m.trackers.Get(h)) })
	}
	for typ := range job.TaskType(2) {
		if j.pending[typ] > 0 && !elsewhere(typ) {
			return false
		}
	}
	_, k := j.chore()
	return k == nil || k.state != job.TaskPending || elsewhere(job.Map) || elsewhere(job.Reduce)
}

// couldRun reports whether a tracker outside the job's blacklist could run a task of the job if the
// tracker were idle.
func (m *Machine) couldRun(j *jobState, typ job.TaskType, t *tracker) bool {
	b := j.blameOf(t.who)
	return trackerWorks(t) && (b == nil || !b.listed && !b.refused) && m.couldHold(t, j, typ)
}

// couldHold reports whether an idle tracker would have room for a task of a job.
func (m *Machine) couldHold(t *tracker, j *jobState, typ job.TaskType) bool {
	if m.containers {
		return t.view.Memory >= j.view.Spec.Memory(typ)
	}
	return t.view.Slots[typ] >= j.view.Width[typ]
}

// taskMayRun reports whether a tracker may run a task. While another tracker could run a task, the
// task does not return to a tracker where it failed.
func (m *Machine) taskMayRun(j *jobState, k *task, typ job.TaskType, t *tracker) bool {
	if k.trouble == nil || !slices.Contains(k.trouble.failedOn, t.who) {
		return true
	}
	for _, h := range m.live {
		o := m.trackers.Get(h)
		if !slices.Contains(k.trouble.failedOn, o.who) && m.couldHold(o, j, typ) && m.jobMayRun(j, o) {
			return false
		}
	}
	return true
}
