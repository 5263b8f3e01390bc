package scenario

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/asleep"
)

// maxMinicluster is the maximum number of TaskTrackers of a minicluster.
const maxMinicluster = 64

// Realizable returns an error if the scenario cannot run on real nodes of this machine.
func (s *Scenario) Realizable() error {
	bad := func(what, why, remedy string) error {
		return failure.New(failure.Config, "run scenario on real nodes", what, errors.New(why)).Fix(remedy)
	}
	if s.Nodes.Count > maxMinicluster {
		return bad("nodes", fmt.Sprintf("%d nodes are too many for one machine: want at most %d", s.Nodes.Count,
			maxMinicluster), "use fewer nodes, or leave --real out")
	}
	for _, c := range s.CoTenants {
		if c.Slots && !c.Foretold {
			return bad("co-tenants", "real nodes cannot lend slots", "use takes: speed or foretold, or leave --real out")
		}
	}
	if len(s.CoTenants) > 0 && s.foretold() == nil && s.Nodes.Cores == 0 {
		return bad("co-tenants", "they take a share of a node's cores, which have no limit", "set cores")
	}
	if s.Pool != nil {
		switch {
		case (s.capped() || len(s.CoTenants) > 0) && s.Pool.Kind == processes:
			return bad("cores and memory", "processes have no limits", "use kind: namespaces or containers, or leave --real out")
		case len(s.Aways) > 0 && s.Pool.Kind == containers:
			return bad("faults", "the manager restarts a container that ends", "use kind: namespaces, or leave --real out")
		}
	}
	for i := range s.Work {
		if w := &s.Work[i]; w.demands() && !w.IsApplication() {
			return bad("cpu and memory of "+w.Name, "the tasks of a trace's jobs only wait", "leave --real out")
		}
	}
	if !s.departs() {
		return bad("faults", "on real nodes, only lose and leave are possible", "leave --real out")
	}
	returns := slices.ContainsFunc(s.Aways, func(a simulator.Away) bool { return a.Back > 0 })
	if returns && (len(s.CoTenants) > 0 || s.Pool == nil && s.Nodes.Cores > 0) {
		return bad("faults", "a node returns without its limits", "leave out cores, co-tenants, or the time of the return")
	}
	if own := s.parts.ownWeights(s.Weights); own != "" && s.parts.Manager == "" {
		return bad("weights", own+" needs a manager that knows it", "set Parts.Manager, or leave --real out")
	}
	if own := s.parts.ownScheduler(s.Schedulers); own != "" && s.parts.JobTracker == "" {
		return bad("scheduler", own+" needs JobTrackers that know it", "set Parts.JobTracker, or leave --real out")
	}
	if own := s.parts.ownEstimator(s.Orchestrators); own != "" && s.parts.TaskTracker == "" {
		return bad("orchestrator", own+" needs TaskTrackers that know it", "set Parts.TaskTracker, or leave --real out")
	}
	return nil
}

// testbed is where the jobs of a repetition run.
type testbed interface {
	// begin returns the time at which the workload must start, or zero.
	begin() time.Time
	// command runs howdah run with the given arguments for a part of the workload.
	command(ctx context.Context, w *Work, args ...string) ([]byte, error)
	// collect adds what the testbed knows about the jobs of the run. It returns their journals, if there
	// are any.
	collect(ctx context.Context, run *Run) ([][]byte, error)
	// disturb starts the faults and co-tenants of a run, whose times count from start, until ctx ends.
	// The caller waits for done.
	disturb(ctx context.Context, start time.Time, done *sync.WaitGroup) error
	stop()
}

// RunReal runs the scenario on real nodes, of this machine or of a testbed. If a repetition cannot run, it returns an
// error; a job that fails is part of the result.
func (s *Scenario) RunReal(ctx context.Context, o Options) (*Result, error) {
	possible, place := s.Realizable, "a minicluster"
	switch {
	case o.Testbed != nil:
		possible, place = s.Suits, "the testbed "+o.Testbed.Name
	case s.Pool != nil && s.Pool.Kind == namespaces:
		place = "a pool of network namespaces"
	case s.Pool != nil:
		place = "a pool of " + s.Pool.Kind
	}
	if err := possible(); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	r := s.newResult(&o, true, place)
	scratch, err := os.MkdirTemp("", "howdah-scenario-")
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "run scenario", "", err)
	}
	defer os.RemoveAll(scratch)
	began := time.Now()
	inputs, err := s.makeInputs(ctx, &o, scratch)
	if err != nil {
		return nil, err
	}
	shared := ""
	if o.Testbed != nil {
		var remove func()
		if shared, inputs, remove, err = o.Testbed.share(ctx, &o, inputs); err != nil {
			return nil, err
		}
		defer remove()
		r.Machine = "unknown"
	}
	variants := s.Variants()
	for k := range cmp.Or(o.Repeat, s.Repeat.Real) {
		for n := range variants {
			i := (n + k) % len(variants) // changes of the machine over time affect all variants alike
			o.tell("%s: repetition %d", r.Variants[i].Name, k+1)
			run, journals, err := s.realOne(ctx, &o, variants[i], s.Seed+uint64(k), inputs, scratch, shared)
			if ctx.Err() != nil {
				return nil, failure.New(failure.Interrupted, "run scenario", s.Name, ctx.Err())
			}
			if err != nil {
				return nil, err
			}
			v := &r.Variants[i]
			v.Runs = append(v.Runs, *run)
			for _, j := range journals {
				r.keepJournal(v, k, j)
			}
		}
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// makeInputs creates all inputs below dir and returns their directories by part. Parts with equal
// inputs share them.
func (s *Scenario) makeInputs(ctx context.Context, o *Options, dir string) (map[string]string, error) {
	at, made := map[string]string{}, map[Input]string{}
	empty := filepath.Join(dir, "conf")
	if err := os.MkdirAll(empty, 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "generate input", empty, err)
	}
	howdah := func(ctx context.Context, args ...string) error {
		cmd := exec.CommandContext(ctx, o.Binary, args...)
		cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+empty, "HADOOP_CONF_DIR=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return failure.New(failure.Failed, "generate input", strings.Join(args, " "), fmt.Errorf("%w: %s", err, out))
		}
		return nil
	}
	for i := range s.Work {
		w := &s.Work[i]
		in := w.input()
		if in == nil || !w.IsApplication() {
			continue
		}
		if made[*in] == "" {
			to := filepath.Join(dir, fmt.Sprintf("input-%d-%s", len(made)+1, in.Kind))
			o.tell("generating %s of %s", sizeText(in.Bytes), in.Kind)
			if err := in.Make(ctx, to, howdah); err != nil {
				return nil, err
			}
			made[*in] = to
		}
		at[w.Name] = made[*in]
	}
	return at, nil
}

// realOne runs one repetition of a variant. Outputs are in the directory shared, or if it is "" in
// scratch, which contains all other files.
func (s *Scenario) realOne(ctx context.Context, o *Options, v Variant, seed uint64, inputs map[string]string,
	scratch, shared string) (*Run, [][]byte, error) {
	list, err := s.instances(ctx, seed)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp(scratch, "run-")
	if err != nil {
		return nil, nil, failure.New(failure.KindOf(err), "run scenario", scratch, err)
	}
	defer os.RemoveAll(dir)
	outs := dir
	if shared != "" {
		outs = shared + "/" + filepath.Base(dir)
	}
	var bed testbed
	switch {
	case o.Testbed != nil:
		bed, err = s.open(ctx, o, v)
	case s.Pool != nil:
		bed, err = s.startPool(ctx, o, v, scratch)
	default:
		bed, err = s.startCluster(ctx, o, v)
	}
	if err != nil {
		return nil, nil, err
	}
	defer bed.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	if at := bed.begin(); !at.IsZero() {
		if start.After(at) {
			return nil, nil, failure.New(failure.Timeout, "run scenario", s.Name,
				fmt.Errorf("the cluster started %v too late for the foretold f(t)", start.Sub(at)))
		}
		if err := lifecycle.Sleep(ctx, time.Until(at)); err != nil {
			return nil, nil, err
		}
		start = at
	}
	var disturbers, all sync.WaitGroup
	defer disturbers.Wait()
	defer cancel()
	first := start.Add(time.Duration(firstArrival(list)) * time.Millisecond)
	if err := bed.disturb(ctx, first, &disturbers); err != nil {
		return nil, nil, err
	}
	run := &Run{Seed: seed, Start: start.UnixMilli(), Jobs: make([]Job, len(list))}
	parts := map[string]*sync.WaitGroup{"": {}}
	for i := range list {
		if name := list[i].work.Name; parts[name] == nil {
			parts[name] = &sync.WaitGroup{}
		}
		parts[list[i].work.Name].Add(1)
	}
	for i := range list {
		x := &list[i]
		all.Go(func() {
			defer parts[x.work.Name].Done()
			if x.work.After != "" {
				parts[x.work.After].Wait()
				x.at += time.Since(start).Milliseconds()
			}
			run.Jobs[i] = x.real(ctx, bed, o, start, inputs, dir, outs)
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	journals, err := bed.collect(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	run.order()
	run.finish(s.slots())
	return run, journals, nil
}

// order makes no instance arrive before the end of the part that it follows. It was started after that
// end, but the time of the end is the JobTracker's, and its clock may differ from this process's by
// some ms.
func (r *Run) order() {
	ends := map[string]int64{}
	for i := range r.Jobs {
		ends[r.Jobs[i].Part] = max(ends[r.Jobs[i].Part], r.Jobs[i].Finish)
	}
	for i := range r.Jobs {
		if x := &r.Jobs[i]; x.After != "" {
			x.Submit = max(x.Submit, ends[x.After])
		}
	}
}

// real waits for the arrival of the instance and runs it.
func (x *instance) real(ctx context.Context, bed testbed, o *Options, start time.Time,
	inputs map[string]string, dir, outs string) Job {
	out := x.result()
	args, err := x.arguments(o, inputs, dir, outs)
	if err == nil {
		err = lifecycle.Sleep(ctx, time.Until(start.Add(time.Duration(x.at)*time.Millisecond)))
	}
	var text []byte
	if err == nil {
		text, err = bed.command(ctx, x.work, args...)
	}
	out.Finish = time.Since(start).Milliseconds()
	jobs, readErr := reportedJobs(text)
	if err = errors.Join(err, readErr); err != nil {
		out.Failed, out.Why = true, err.Error()
	}
	for _, j := range jobs {
		out.IDs = append(out.IDs, j.ID)
		if j.State != job.Succeeded.String() && !out.Failed {
			out.Failed, out.Why = true, j.ID+": "+j.Diagnostic
		}
	}
	return out
}

// reportedJobs reads the output of howdah run --json.
func reportedJobs(text []byte) (jobs []lab.Job, err error) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var j lab.Job
		if err := d.Decode(&j); err == io.EOF {
			return jobs, nil
		} else if err != nil {
			return jobs, failure.New(failure.Corrupt, "read output of", "howdah run --json", err)
		}
		jobs = append(jobs, j)
	}
}

// arguments returns the arguments of howdah run for the instance. The application writes below outs.
// Other files are in dir.
func (x *instance) arguments(o *Options, inputs map[string]string, dir, outs string) ([]string, error) {
	w := x.work
	own := filepath.Join(dir, x.id)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "run scenario", own, err)
	}
	if x.job != nil {
		return x.sleeping(own)
	}
	words := slices.Clone(w.command())
	for i := range words {
		words[i] = strings.NewReplacer("{in}", inputs[w.Name], "{out}", outs+"/"+x.id+"/out", "{work}",
			outs+"/"+x.id+"/work").Replace(words[i])
	}
	args := []string{words[0]}
	set := func(key, value string) { args = append(args, "-D", key+"="+value) }
	for _, k := range ordered.Keys(w.Settings) {
		set(k, w.Settings[k])
	}
	if w.Deadline > 0 {
		set(conf.JobDeadline.Name, fmt.Sprintf("+%dms", w.Deadline))
	}
	if p := o.Profile.setting(w); p != "" {
		set(conf.JobProfile.Name, p)
	}
	return append(args, words[1:]...), nil
}

// sleeping returns the arguments of the sleep job that takes the place of a trace's job. The tasks
// sleep inside the TaskTrackers.
func (x *instance) sleeping(dir string) ([]string, error) {
	c := conf.New()
	asleep.Options{Speed: 1, InTracker: true}.Configure(c, x.job)
	file := filepath.Join(dir, "job.xml")
	f, err := os.Create(file)
	if err == nil {
		err = errors.Join(c.WriteXML(f, true), f.Close())
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "write settings of a job", file, err)
	}
	return append([]string{"sleep", "-conf", file}, asleep.Arguments(x.job)...), nil
}

// complete fills in the times and tasks of the run's jobs from the journal's jobs and attempts.
func (r *Run) complete(t *trace.Trace, spans []lab.SlotSpan) {
	byID, bySeq := map[string]*trace.Job{}, map[int32][]lab.SlotSpan{}
	first := int64(0)
	for _, j := range t.Jobs {
		byID[j.ID] = j
		if first == 0 || j.Submit < first {
			first = j.Submit
		}
	}
	for _, s := range spans {
		bySeq[s.Job] = append(bySeq[s.Job], s)
	}
	for i := range r.Jobs {
		x := &r.Jobs[i]
		last := int64(0)
		for _, id := range x.IDs {
			j := byID[id]
			if j == nil {
				continue
			}
			x.Maps, x.Reduces = x.Maps+len(j.Maps), x.Reduces+len(j.Reduces)
			last = max(last, j.Finish-r.Start)
			seq, _ := sequence(id)
			for _, s := range bySeq[seq] {
				if at := s.Start + first - r.Start; x.Start == 0 || at < x.Start {
					x.Start = at
				}
				if s.Type <= job.Reduce {
					x.SlotTime[s.Type] += s.End - s.Start
				}
			}
		}
		if last > 0 {
			x.Finish = last
		}
	}
}
