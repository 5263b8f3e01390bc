package playground

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

const (
	sampleEvery = 1000 // ms
	maxSamples  = 1000
)

// clock decides which samples of a run a timeline keeps. It thins them out whenever there are too
// many.
type clock struct {
	t     *Timeline
	calls int64 // of keep
	n     int   // number of kept samples
}

// keep reports whether to keep the next sample. The caller takes a sample every sampleEvery ms, and
// increments n if it keeps it.
func (c *clock) keep() bool {
	c.t.Step = max(c.t.Step, sampleEvery)
	at := c.calls * sampleEvery
	c.calls++
	if c.n == maxSamples {
		c.n /= 2
		c.t.Step *= 2
		c.t.thin()
	}
	return at%c.t.Step == 0
}

// thin drops every other sample.
func (t *Timeline) thin() {
	for i := range t.Jobs {
		for k := range t.Jobs[i].Running {
			halve(t.Jobs[i].Running[k][:])
		}
	}
	for i := range t.Groups {
		g := &t.Groups[i]
		for _, l := range [][][]int32{g.Fair[:], g.Running[:], g.Borrowed[:]} {
			halve(l)
		}
	}
	halve(t.Slots[:])
	for i := range t.Clusters {
		c := &t.Clusters[i]
		c.Nodes, c.Jobs, c.Running, c.Waiting = half(c.Nodes), half(c.Jobs), half(c.Running), half(c.Waiting)
		c.Weight = half(c.Weight)
	}
}

func halve(lists [][]int32) {
	for i := range lists {
		lists[i] = half(lists[i])
	}
}

func half[T any](list []T) []T {
	for i := range (len(list) + 1) / 2 {
		list[i] = list[2*i]
	}
	return list[:(len(list)+1)/2]
}

// sampler fills the lists of a cluster's timeline.
type sampler struct {
	clock
	grouper scheduler.Grouper // nil if the policy has no pools
	index   map[string]int    // of the jobs, by name
	groups  []scheduler.Group
	buf     []*scheduler.Attempt
	begun   bool
}

func newSampler(t *Timeline, r *Request, p scheduler.Policy) *sampler {
	s := &sampler{clock: clock{t: t}, index: map[string]int{}}
	s.grouper, _ = p.(scheduler.Grouper)
	for i := range r.Jobs {
		s.index[r.Jobs[i].Name] = i
	}
	return s
}

// sample takes a sample. It skips the first one, which the simulator takes at the start, because a
// sample shows the second before it.
func (s *sampler) sample(v scheduler.View) {
	if !s.begun {
		s.begun = true
		return
	}
	if !s.keep() {
		return
	}
	total := v.Cluster()
	for k := range s.t.Slots {
		s.t.Slots[k] = append(s.t.Slots[k], total.Slots[k])
	}
	for i := range s.t.Jobs {
		for slot := range 2 {
			for kind := range 2 {
				list := &s.t.Jobs[i].Running[slot][kind]
				*list = append(*list, 0)
			}
		}
	}
	for _, seq := range v.Jobs() {
		line := &s.t.Jobs[s.index[v.Job(seq).Spec.Name]]
		for kind := range 2 {
			s.buf = v.Running(seq, job.TaskType(kind), s.buf[:0])
			for _, a := range s.buf {
				line.Running[a.Slot][kind][s.n]++
			}
		}
	}
	if s.grouper != nil {
		s.groups = s.grouper.Groups(v, s.groups[:0])
		for i := range s.groups {
			s.group(&s.groups[i])
		}
	}
	s.n++
}

// group adds the state of a pool. Pools can appear during a run.
func (s *sampler) group(g *scheduler.Group) {
	if g.Memory {
		return
	}
	i := slices.IndexFunc(s.t.Groups, func(l GroupLine) bool { return l.Name == g.Name })
	if i < 0 {
		i = len(s.t.Groups)
		s.t.Groups = append(s.t.Groups, GroupLine{Name: g.Name})
	}
	line := &s.t.Groups[i]
	for k := range 2 {
		line.Fair[k] = append(grown(line.Fair[k], s.n), g.Fair[k])
		line.Running[k] = append(grown(line.Running[k], s.n), g.Running[k])
		line.Borrowed[k] = append(grown(line.Borrowed[k], s.n), g.Borrowed[k])
	}
}

// grown returns the list with n values, of which the missing ones are 0.
func grown(list []int32, n int) []int32 { return append(list, make([]int32, max(0, n-len(list)))...) }
