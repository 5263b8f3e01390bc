package jobtracker

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
)

// pickIndex finds a job's pending tasks. Its lists never change once built; a cursor in each skips what is not pending at
// the front and moves back when a task returns, so that a pick costs the same however many tasks are done.
type pickIndex struct {
	splits   []job.SplitMeta
	rank     []int32  // of each map: its place by input length, largest first, then by index
	all      pickList // every map
	anywhere pickList // maps without a location
	hosts    map[string]*pickList
	racks    map[string]*pickList
	rackList []*pickList // the same as racks, in order of creation
	topology int64       // version of the host-to-rack table that racks were built from; 0 = not built
	reduces  int32       // no reduce below it is pending
}

// pickList holds indices of maps by rank.
type pickList struct {
	items []int32
	from  int // nothing before it is pending
}

func newPickIndex(splits []job.SplitMeta) pickIndex {
	p := pickIndex{splits: splits, hosts: map[string]*pickList{}}
	order := make([]int32, len(splits))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(splits[b].Length, splits[a].Length) })
	p.rank = make([]int32, len(splits))
	for r, i := range order {
		p.rank[i] = int32(r)
		if len(splits[i].Hosts) == 0 {
			p.anywhere.items = append(p.anywhere.items, i)
		}
		for _, h := range splits[i].Hosts {
			l := p.hosts[h]
			if l == nil {
				l = &pickList{}
				p.hosts[h] = l
			}
			l.add(i)
		}
	}
	p.all.items = order
	return p
}

// add appends a map, once even if several of its hosts are in the same place.
func (l *pickList) add(index int32) {
	if n := len(l.items); n == 0 || l.items[n-1] != index {
		l.items = append(l.items, index)
	}
}

// buildRacks makes the rack lists from the known racks of hosts, again only when a host's rack became known or changed.
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

// returned makes the cursors see a task again that has become pending.
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
	i, found := slices.BinarySearchFunc(l.items, rank[index], func(item, r int32) int { return cmp.Compare(rank[item], r) })
	if found {
		l.from = min(l.from, i)
	}
}

// first finds the first pending map of the list that may run on the tracker.
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

// PickMap implements scheduler.View. A map without a location is as good as a local one.
func (m *Machine) PickMap(seq, handle int32, farthest job.Locality) (int32, job.Locality, bool) {
	j, t := m.jobs[seq], m.trackers[handle]
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
	j, t := m.jobs[seq], m.trackers[handle]
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

// locality tells how far the tracker is from a map's input.
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

// trackerWorks tells whether a tracker may get new work at all.
func trackerWorks(t *tracker) bool {
	return !t.lost && !t.blacklisted && !t.draining && t.unhealthy == ""
}

// jobMayRun tells whether a tracker may run tasks of a job: it sees the job's files and not too many of the job's attempts
// failed there. The second does not count once a quarter of the cluster would be out (JobInProgress.shouldRunOnTaskTracker),
// nor if the rest of it is too small for the job's tasks.
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

// runsElsewhere tells whether the job's waiting tasks, and its chore, fit trackers that are not on its list.
func (m *Machine) runsElsewhere(j *jobState) bool {
	elsewhere := func(typ job.TaskType) bool {
		return slices.ContainsFunc(m.live, func(h int32) bool { return m.couldRun(j, typ, m.trackers[h]) })
	}
	for typ := range job.TaskType(2) {
		if j.pending[typ] > 0 && !elsewhere(typ) {
			return false
		}
	}
	_, k := j.chore()
	return k == nil || k.state != job.TaskPending || elsewhere(job.Map) || elsewhere(job.Reduce)
}

// couldRun tells whether a tracker that ran nothing else would run a task of a job that has nothing against it.
func (m *Machine) couldRun(j *jobState, typ job.TaskType, t *tracker) bool {
	b := j.blameOf(t.who)
	return trackerWorks(t) && (b == nil || !b.listed && !b.refused) && m.couldHold(t, j, typ)
}

// couldHold tells whether a tracker that ran nothing else would have room for a task of a job.
func (m *Machine) couldHold(t *tracker, j *jobState, typ job.TaskType) bool {
	if m.containers {
		return t.view.Memory >= j.view.Spec.Memory(typ)
	}
	return t.view.Slots[typ] >= j.view.Width[typ]
}

// taskMayRun tells whether a tracker may run a task: not where it failed before, unless it failed on all that have room for it.
func (m *Machine) taskMayRun(j *jobState, k *task, typ job.TaskType, t *tracker) bool {
	if len(k.failedOn) == 0 || !slices.Contains(k.failedOn, t.who) {
		return true
	}
	for _, h := range m.live {
		o := m.trackers[h]
		if !slices.Contains(k.failedOn, o.who) && m.couldHold(o, j, typ) && m.jobMayRun(j, o) {
			return false
		}
	}
	return true
}
