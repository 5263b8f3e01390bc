package whatif

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler/estimate"
)

// A basis says what the durations of a phase are drawn from, in descending order of trust.
type basis uint8

const (
	observed basis = iota // durations of the job's finished tasks
	namesake              // other jobs with the same user and name
	profiled              // the job's profile, from an earlier job or from the user
	paced                 // the progress of the job's running tasks
	alike                 // the job's maps, for its reduces
	pooled                // the tasks of the other jobs
	assumed               // assumedDuration
)

var basisNames = [...]string{"observed", "same name", "profile", "progress", "own maps", "other jobs", "assumed"}

// String returns the name of the basis in reports.
func (b basis) String() string { return basisNames[b] }

// spread returns the standard deviation of the logarithm of the factor by which all durations of a
// phase may differ from a basis with n durations. A job that has shown few tasks says little about
// the rest, although they may all be equal. Resampling alone accounts for the uncertainty from
// enoughSeen tasks on.
func (b basis) spread(n int) float64 {
	switch b {
	case observed:
		if n >= enoughSeen {
			return 0
		}
		return 0.2 / math.Sqrt(float64(n))
	case namesake:
		return 0.1
	case profiled: // of one job, perhaps with few tasks
		return 0.2
	case paced:
		return 0.3 / math.Sqrt(float64(n))
	case alike:
		return 0.5
	}
	return 0.6
}

const (
	enoughSeen      = 5
	assumedDuration = 30_000 // ms, if no task of the cluster has shown anything
	leastProgress   = 50_000 // millionths, below which a progress says too little about a duration
)

// A phase is what is known about the durations of the tasks of one phase of a job.
type phase struct {
	basis  basis
	values []int64 // ascending, not empty
}

// phases are the phases of a job's tasks.
type phases struct{ maps, first, typical, reduce phase }

// pool holds durations from all jobs, for jobs that have shown nothing.
type pool struct {
	maps, shuffle, reduce []int64
	names                 map[[2]string]*Seen // durations of the jobs with a user and a name
}

// like returns the durations of the jobs with the user and the name of j. It returns nothing if they
// have shown few durations of the phase. Hidden jobs have no names.
func (p *pool) like(j *Job, of func(*Seen) *[]int64) []int64 {
	x := p.names[[2]string{j.User, j.Name}]
	if x == nil || len(*of(x)) < enoughSeen {
		return nil
	}
	return *of(x)
}

// The phases of a Seen.
var seenPhases = [...]func(*Seen) *[]int64{seenMap, seenFirst, seenTypical, seenReduce}

func seenMap(s *Seen) *[]int64     { return &s.Map }
func seenFirst(s *Seen) *[]int64   { return &s.First }
func seenTypical(s *Seen) *[]int64 { return &s.Typical }
func seenReduce(s *Seen) *[]int64  { return &s.Reduce }

const maxPooled = 256

func newPool(s *State) *pool {
	p := &pool{names: map[[2]string]*Seen{}}
	add := func(to *[]int64, list []int64) {
		*to = append(*to, list[:min(len(list), max(0, maxPooled-len(*to)))]...)
	}
	learn := func(user, name string, seen *Seen) {
		add(&p.shuffle, seen.First)
		add(&p.shuffle, seen.Typical)
		add(&p.reduce, seen.Reduce)
		if name == "" {
			return
		}
		key := [2]string{user, name}
		if p.names[key] == nil {
			p.names[key] = &Seen{}
		}
		for _, of := range seenPhases {
			add(of(p.names[key]), *of(seen))
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		maps := j.Seen.Map
		if len(maps) == 0 {
			maps = j.pace(s.Now, job.Map)
		}
		add(&p.maps, maps)
		learn(j.User, j.Name, &j.Seen)
	}
	for i := range s.Past {
		x := &s.Past[i]
		add(&p.maps, x.Seen.Map)
		learn(x.User, x.Name, &x.Seen)
	}
	return p
}

// pace returns the durations of the job's running tasks of a type, as far as their progress shows
// them. The progress of reduces says nothing before the last map has ended.
func (j *Job) pace(now int64, typ job.TaskType) (list []int64) {
	if typ == job.Reduce && j.MapsDone == 0 {
		return nil
	}
	for _, a := range j.Running {
		if a.Type == typ && a.Progress >= leastProgress && len(list) < maxSeen {
			list = append(list, max(1, now-max(a.Start, j.mapsDone(typ)))*million/int64(a.Progress))
		}
	}
	return list
}

// mapsDone returns the time before which work of a task does not count.
func (j *Job) mapsDone(typ job.TaskType) int64 {
	if typ == job.Reduce {
		return j.MapsDone
	}
	return 0
}

func (j *Job) phases(now int64, p *pool) (x phases) {
	given, _ := estimate.Parse(j.Profile) // checked
	given = given.Complete()
	x.maps = best(phase{observed, j.Seen.Map}, phase{namesake, p.like(j, seenMap)},
		phase{profiled, quantiles(given.Map)}, phase{paced, j.pace(now, job.Map)}, phase{pooled, p.maps})
	reduces := given.First != (estimate.Phase{}) || given.Reduce != (estimate.Phase{})
	switch {
	case len(j.Seen.Reduce) > 0 || len(p.like(j, seenReduce)) > 0 || reduces:
		known := func(of, other func(*Seen) *[]int64, f estimate.Phase) phase {
			return best(phase{observed, *of(&j.Seen)}, phase{namesake, p.like(j, of)},
				phase{profiled, quantiles(f)},
				phase{observed, *other(&j.Seen)}, phase{namesake, p.like(j, other)}, phase{observed, []int64{0}})
		}
		x.first = known(seenFirst, seenTypical, given.First)
		x.typical = known(seenTypical, seenFirst, given.Typical)
		x.reduce = known(seenReduce, seenReduce, given.Reduce)
		return x
	case len(j.pace(now, job.Reduce)) > 0:
		x.reduce = best(phase{paced, j.pace(now, job.Reduce)})
	case x.maps.basis < pooled || len(p.reduce) == 0: // as estimate.Predictor assumes
		x.reduce = phase{max(alike, x.maps.basis), x.maps.values}
	default:
		x.reduce = best(phase{pooled, p.reduce})
		if x.first = best(phase{pooled, p.shuffle}); x.first.basis == pooled {
			x.typical = x.first
			return x
		}
	}
	x.first = phase{x.reduce.basis, []int64{0}} // the reduce phase includes the shuffle
	x.typical = x.first
	return x
}

// best returns the first phase with durations, sorted.
func best(list ...phase) phase {
	for _, f := range list {
		if len(f.values) > 0 {
			f.values = slices.Sorted(slices.Values(f.values))
			return f
		}
	}
	return phase{assumed, []int64{assumedDuration}}
}

// quantiles returns durations with the mean and about the spread of the phase of a profile: a
// lognormal distribution that exceeds the maximum rarely.
func quantiles(f estimate.Phase) []int64 {
	if f == (estimate.Phase{}) {
		return nil
	}
	if f.Max <= f.Avg {
		return []int64{int64(f.Avg + 0.5)}
	}
	const n = 32
	sigma := min(1, math.Log(f.Max/max(1, f.Avg))/2)
	list, sum := make([]float64, n), 0.0
	for i := range list {
		list[i] = math.Exp(sigma * math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/n-1))
		sum += list[i]
	}
	out := make([]int64, n)
	for i := range list {
		out[i] = int64(list[i] / sum * n * f.Avg)
	}
	return out
}

// An urn holds the durations of a phase for one repetition. It is a sample of the phase's durations
// (a bootstrap), multiplied by a factor.
type urn struct {
	values []int64 // ascending
	r      *rand.Rand
}

func (f *phase) urn(r *rand.Rand) urn {
	u := urn{r: r, values: make([]int64, len(f.values))}
	spread := f.basis.spread(len(f.values))
	factor := math.Exp(spread*r.NormFloat64() - spread*spread/2) // the mean is 1
	for i := range u.values {
		u.values[i] = min(maxDuration, int64(float64(f.values[r.IntN(len(f.values))])*factor+0.5))
	}
	slices.Sort(u.values)
	return u
}

// draw returns the duration of a task that has not started.
func (u *urn) draw() int64 { return u.values[u.r.IntN(len(u.values))] }

// after returns the duration of a task that has run for elapsed ms and has the given progress in
// millionths: a duration from the urn that is not shorter. If there is none, the task is slower
// than all tasks before, and its own progress counts, or else its age.
func (u *urn) after(elapsed int64, progress int32) int64 {
	elapsed = max(0, elapsed)
	x := u.r.Float64() // one draw in each case, so that the following draws do not depend on the case
	at, _ := slices.BinarySearch(u.values, elapsed)
	if n := len(u.values) - at; n > 0 {
		return u.values[at+int(x*float64(n))]
	}
	rest := float64(elapsed) / 2 * x
	if progress >= leastProgress {
		rest = float64(elapsed) * float64(million-progress) / float64(progress) * (0.5 + x)
	}
	return min(maxDuration, elapsed+1+int64(rest))
}
