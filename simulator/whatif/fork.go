package whatif

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
)

// A fork makes starts of simulations from a State. It is safe for concurrent use.
type fork struct {
	state *State
	start tasklevel.Start // without durations
	jobs  []forked
	slots [2]int32
}

type forked struct {
	phases
	running [2][]*Attempt // in the order of tasklevel.Begun.Running
}

func newFork(s *State) *fork {
	f := &fork{state: s, start: tasklevel.Start{Now: s.Now}}
	for i := range s.Trackers {
		t := &s.Trackers[i]
		f.start.Trackers = append(f.start.Trackers, scheduler.Tracker{Slots: t.Slots, Memory: t.Memory, VCores: t.VCores,
			OtherLoad: t.Load})
		for k, n := range t.Slots {
			f.slots[k] += n
		}
	}
	p := newPool(s)
	most := int32(0)
	for i := range s.Jobs {
		most = max(most, s.Jobs[i].Tasks[job.Map])
	}
	splits := make([]job.SplitMeta, most) // shared by all jobs: the state has no locations
	for i := range s.Jobs {
		j := &s.Jobs[i]
		x := forked{phases: j.phases(s.Now, p)}
		b := tasklevel.Begun{ID: j.ID, Name: j.Name, Spec: j.spec(splits), Submit: j.Submit, Began: j.Start, Done: j.Done,
			MapsDone: j.MapsDone}
		if j.Done[job.Map] < j.Tasks[job.Map] {
			b.MapsDone = 0
		}
		for n := range j.Running {
			k := j.Running[n].Type
			x.running[k] = append(x.running[k], &j.Running[n])
		}
		for k, list := range x.running {
			slices.SortStableFunc(list, func(a, b *Attempt) int { return cmp.Compare(a.Start, b.Start) })
			for _, a := range list {
				b.Running[k] = append(b.Running[k], tasklevel.Running{Tracker: a.Tracker, Slot: a.Slot, Start: a.Start})
			}
		}
		f.start.Jobs, f.jobs = append(f.start.Jobs, b), append(f.jobs, x)
	}
	return f
}

func (j *Job) spec(splits []job.SplitMeta) *job.Spec {
	s := &job.Spec{Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority, Splits: splits[:j.Tasks[job.Map]],
		Reduces: j.Tasks[job.Reduce], MapAttempts: 1, ReduceAttempts: 1, SlowStart: j.SlowStart, MapLimit: j.Limits[job.Map],
		ReduceLimit: j.Limits[job.Reduce], Deadline: j.Deadline, Conf: slices.Clone(j.Settings)}
	if j.Profile != "" {
		at, found := slices.BinarySearchFunc(s.Conf, profileKey, byName)
		if !found {
			s.Conf = slices.Insert(s.Conf, at, job.Property{Name: profileKey})
		}
		s.Conf[at].Value = j.Profile
	}
	return s
}

// draw returns the start with the durations of one repetition. They depend on the seed, the
// repetition, and the job, but not on the policy.
func (f *fork) draw(seed uint64, repetition int) *tasklevel.Start {
	s := f.start
	s.Jobs = slices.Clone(s.Jobs)
	for i := range s.Jobs {
		r := rand.New(rand.NewPCG(replay.Draw(seed, uint64(repetition)), uint64(i)))
		s.Jobs[i].Times = f.times(i, r)
	}
	return &s
}

// times draws the durations of all tasks of job i that have not ended.
func (f *fork) times(i int, r *rand.Rand) replay.Times {
	j, x, b := &f.state.Jobs[i], &f.jobs[i], &f.start.Jobs[i]
	now := f.state.Now
	d := replay.Drawn{}
	if b.Done[job.Map] < j.Tasks[job.Map] {
		d.Maps = make([]int64, j.Tasks[job.Map])
		u := x.maps.urn(r)
		rest := d.Maps[b.Done[job.Map]:]
		for n, a := range x.running[job.Map] {
			rest[n] = u.after(now-a.Start, a.Progress)
		}
		for n := len(x.running[job.Map]); n < len(rest); n++ {
			rest[n] = u.draw()
		}
	}
	if n := j.Tasks[job.Reduce]; n > 0 {
		d.First, d.Typical, d.Rest = make([]int64, n), make([]int64, n), make([]int64, n)
		f.reduces(&d, b, x, r)
	}
	return d.Times()
}

func (f *fork) reduces(d *replay.Drawn, b *tasklevel.Begun, x *forked, r *rand.Rand) {
	first, typical, reduce := x.first.urn(r), x.typical.urn(r), x.reduce.urn(r)
	begun := len(x.running[job.Reduce])
	for n := b.Done[job.Reduce]; int(n) < len(d.Rest); n++ {
		d.First[n], d.Typical[n], d.Rest[n] = first.draw(), typical.draw(), reduce.draw()
		k := int(n - b.Done[job.Reduce])
		if b.MapsDone == 0 || k >= begun {
			continue
		}
		a := x.running[job.Reduce][k]
		from := max(a.Start, b.MapsDone)
		shuffle, u := &d.Typical[n], &typical
		if a.Start < b.MapsDone {
			shuffle, u = &d.First[n], &first
		}
		if a.SortDone > 0 {
			*shuffle = max(0, a.SortDone-from)
			d.Rest[n] = reduce.after(f.state.Now-from-*shuffle, 0)
		} else if x.reduce.basis > profiled { // the phases are not known apart
			*shuffle = 0
			d.Rest[n] = reduce.after(f.state.Now-from, a.Progress)
		} else {
			*shuffle = u.after(f.state.Now-from, 0)
		}
	}
}
