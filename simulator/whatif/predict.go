package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// profileKey is the setting of a job with its profile.
var profileKey = conf.JobProfile.Name

func byName(p job.Property, name string) int { return strings.Compare(p.Name, name) }

// Options determines what Predict simulates.
type Options struct {
	// Schedulers are the names of the policies. nil means all in Catalog. The active policy is
	// always among them.
	Schedulers []string
	Catalog    catalog.Table // nil means the built-in policies
	Repeat     int           // most repetitions; 0 means Repetitions
	Goal       Goal          // what the policies are compared by
	Seed       uint64
	Workers    int // concurrent simulations; 0 means 1
	// Within is the time after which no repetition starts, except the first; 0 means no limit. If
	// it passes, the number of repetitions depends on the speed of the computer.
	Within time.Duration
}

// Repetitions is the default number of repetitions of the active policy and the best others. With
// 39 values, the range from the smallest to the largest contains one more value with a probability
// of 95%.
const Repetitions = 39

// Every policy is simulated screening times. After that, only the active policy and the finalists
// are, which are the best of the others.
const (
	screening = 5
	finalists = 3
)

// A Forecast is what Predict predicts.
type Forecast struct {
	State    *State
	Bases    []string // what each job's durations are drawn from
	Policies []Policy // the active policy comes first
	Skipped  []Skipped
}

// Skipped is a policy that could not be simulated.
type Skipped struct {
	Name string
	Err  error
}

// Policy is the outcome under a policy, for each repetition.
type Policy struct {
	Name   string
	Finish [][]int64 // by repetition and job, ms since the epoch
}

// contender creates instances of a policy.
type contender struct {
	name  string
	entry *catalog.Entry
	setup scheduler.Setup
}

// Predict simulates the rest of the cluster's jobs under each policy. It returns an error of kind
// Failed if the state has no jobs or no slots, or if not even the active policy can be simulated.
func Predict(ctx context.Context, s *State, o Options) (*Forecast, error) {
	if len(s.Jobs) == 0 {
		return nil, failure.New(failure.Failed, "predict", "", errEmpty)
	}
	f := newFork(s)
	if f.slots == [2]int32{} {
		return nil, failure.New(failure.Failed, "predict", "", errors.New("the cluster has no slots"))
	}
	list, skipped, err := contenders(s, &o, f.slots)
	if err != nil {
		return nil, err
	}
	p := &predictor{fork: f, list: list, out: &Forecast{State: s, Skipped: skipped}, seed: o.Seed, index: map[string]int{}}
	for i := range s.Jobs {
		p.index[s.Jobs[i].ID] = i
		p.out.Bases = append(p.out.Bases, f.basis(i))
	}
	if len(p.index) != len(s.Jobs) {
		return nil, damaged("two jobs have the same ID")
	}
	return p.out, p.predict(ctx, &o)
}

// contenders returns the policies to simulate, the active one first.
func contenders(s *State, o *Options, slots [2]int32) (list []contender, skipped []Skipped, err error) {
	table := o.Catalog
	if table == nil {
		table = catalog.Builtin()
	}
	names := o.Schedulers
	if names == nil {
		names = table.Names()
	}
	config := s.Conf()
	active, err := table.Find(s.Scheduler.Name)
	if err != nil {
		return nil, nil, failure.New(failure.Failed, "predict", "", fmt.Errorf("the active scheduler %s is not known here",
			s.Scheduler.Name))
	}
	entries := []*catalog.Entry{active}
	for _, name := range names {
		e, err := table.Find(name)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(entries, e) {
			entries = append(entries, e)
		}
	}
	for _, e := range entries {
		c := contender{e.Name, e, scheduler.Setup{Conf: config, Files: s.Scheduler.Files, Slots: slots}}
		if err := c.check(); err == nil {
			list = append(list, c)
		} else if e == active {
			return nil, nil, failure.New(failure.Failed, "predict", e.Name, err)
		} else {
			skipped = append(skipped, Skipped{e.Name, err})
		}
	}
	return list, skipped, nil
}

var errContainers = errors.New("it places tasks by memory, which the simulation does not model")

// check reports why the policy cannot be simulated.
func (c *contender) check() error {
	p, err := c.entry.New(c.setup)
	switch {
	case err != nil:
		return err
	case scheduler.UsesContainers(p):
		return errContainers
	}
	return nil
}

// predictor runs the simulations.
type predictor struct {
	fork  *fork
	list  []contender
	index map[string]int // of jobs by ID
	seed  uint64
	out   *Forecast
}

func (p *predictor) predict(ctx context.Context, o *Options) error {
	repeat := o.Repeat
	if repeat == 0 {
		repeat = Repetitions
	}
	b := batch{predictor: p, list: p.list, to: min(repeat, screening), begun: time.Now(), within: (o.Within + 1) / 2}
	if len(p.list) <= 1+finalists {
		b.to, b.within = repeat, o.Within
	}
	if err := b.run(ctx, o.Workers); err != nil {
		return err
	}
	for k := range p.list {
		c := &p.list[k]
		if err := b.failed[k]; err != nil {
			if k == 0 {
				return err
			}
			p.out.Skipped = append(p.out.Skipped, Skipped{c.name, err})
			continue
		}
		p.out.Policies = append(p.out.Policies, Policy{c.name, column(b.runs, k)})
	}
	if b.to == repeat {
		return nil
	}
	return p.final(ctx, o, &b, repeat)
}

// final repeats the simulations of the active policy and the finalists.
func (p *predictor) final(ctx context.Context, o *Options, first *batch, repeat int) error {
	best := p.out.best(o.Goal)
	b := batch{predictor: p, from: len(first.runs), to: repeat, begun: first.begun, within: o.Within}
	for _, name := range best {
		b.list = append(b.list, p.list[slices.IndexFunc(p.list, func(c contender) bool { return c.name == name })])
	}
	if err := b.run(ctx, o.Workers); err != nil {
		return err
	}
	for k, name := range best {
		if b.failed[k] == nil {
			x := p.out.find(name)
			x.Finish = append(x.Finish, column(b.runs, k)...)
		}
	}
	return nil
}

func column(runs [][][]int64, k int) (list [][]int64) {
	for _, run := range runs {
		list = append(list, run[k])
	}
	return list
}

// best returns the names of the active policy and the finalists.
func (f *Forecast) best(g Goal) []string {
	others := slices.Clone(f.Policies[1:])
	g = f.goal(g)
	slices.SortStableFunc(others, func(x, y Policy) int {
		return cmp.Or(cmp.Compare(mean(f.Of(g, &x)), mean(f.Of(g, &y))),
			cmp.Compare(mean(f.Of(Time, &x)), mean(f.Of(Time, &y))))
	})
	names := []string{f.Policies[0].Name}
	for _, p := range others[:min(len(others), finalists)] {
		names = append(names, p.Name)
	}
	return names
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}

// A batch is a range of repetitions of some policies. Each repetition simulates every policy, so an
// early end leaves no policy behind.
type batch struct {
	*predictor
	list     []contender
	from, to int
	begun    time.Time
	within   time.Duration // since begun; 0 means no limit

	mu     sync.Mutex
	next   int
	runs   [][][]int64 // by repetition, policy, and job
	failed []error     // by policy
	err    error
}

// run carries out the repetitions. If time runs out, runs becomes shorter.
func (b *batch) run(ctx context.Context, workers int) error {
	b.next, b.runs, b.failed = b.from, make([][][]int64, b.to-b.from), make([]error, len(b.list))
	var all sync.WaitGroup
	for range max(1, workers) {
		all.Go(func() {
			for {
				i, ok := b.take()
				if !ok {
					return
				}
				b.repetition(ctx, i)
			}
		})
	}
	all.Wait()
	b.runs = b.runs[:b.next-b.from]
	return b.err
}

func (b *batch) take() (int, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	late := b.next > 0 && b.within > 0 && time.Since(b.begun) >= b.within
	if b.err != nil || b.next == b.to || late {
		return 0, false
	}
	b.next++
	return b.next - 1, true
}

func (b *batch) repetition(ctx context.Context, i int) {
	start := b.fork.draw(b.seed, i)
	finish := make([][]int64, len(b.list))
	for k := range b.list {
		var err error
		finish[k], err = b.simulate(ctx, &b.list[k], start)
		b.mu.Lock()
		if b.failed[k] == nil {
			b.failed[k] = err
		}
		if ctx.Err() != nil {
			b.err = context.Cause(ctx)
		}
		b.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[i-b.from] = finish
}

func (p *predictor) simulate(ctx context.Context, c *contender, start *tasklevel.Start) ([]int64, error) {
	policy, err := c.entry.New(c.setup)
	if err != nil {
		return nil, err
	}
	config := tasklevel.Config{Start: start, Scheduler: c.name, Policy: policy}
	r, err := tasklevel.Run(ctx, config, (&trace.Trace{}).Source())
	if err != nil {
		return nil, err
	}
	if len(r.Jobs) != len(p.index) {
		return nil, failure.New(failure.Internal, "simulate", c.name, errors.New("a job was lost"))
	}
	finish := make([]int64, len(p.index))
	for i := range r.Jobs {
		finish[p.index[r.Jobs[i].ID]] = r.Jobs[i].Finish
	}
	return finish, nil
}

// basis returns the weakest basis among the phases of the job that matter.
func (f *fork) basis(i int) string {
	j, x := &f.state.Jobs[i], &f.jobs[i]
	b := observed
	if j.Done[job.Map] < j.Tasks[job.Map] {
		b = x.maps.basis
	}
	if j.Tasks[job.Reduce] > 0 {
		b = max(b, x.reduce.basis)
	}
	return b.String()
}
