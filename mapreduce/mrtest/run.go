package mrtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// run is the state of a job that runs in memory.
type run struct {
	job      *mapreduce.Job
	ctx      context.Context
	env      mapreduce.Env
	id       job.ID
	counters *job.Counters
	reduces  int
	work     string

	// The map output: for each reducer, the records of all maps in map order.
	parts [][]record
}

type record struct{ key, value []byte }

// plan checks the job and returns its splits.
func (r *run) plan() ([]mapreduce.Split, error) {
	if err := r.job.Validate(r.env.Conf); err != nil {
		return nil, err
	}
	if err := r.job.OutputFormat().Check(r.ctx, &r.env); err != nil {
		return nil, err
	}
	splits, err := r.job.PlanSplits(r.ctx, &r.env)
	if err != nil {
		return nil, err
	}
	r.reduces, err = mapreduce.Reduces(r.env.Conf)
	return splits, err
}

// all runs all tasks and completes the output.
func (r *run) all(splits []mapreduce.Split) (err error) {
	if r.work, err = os.MkdirTemp("", "mrtest"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	if r.job.Committer == nil {
		return failureOr(r.tasks(splits), r.succeed)
	}
	c := r.context(job.Setup, 0, nil)
	if err := r.job.Committer().SetupJob(c); err != nil {
		return err
	}
	err = failureOr(r.tasks(splits), func() error { return r.job.Committer().CommitJob(c) })
	if err != nil {
		return errors.Join(err, r.job.Committer().AbortJob(c, job.Failed))
	}
	return r.succeed()
}

// tasks runs the maps and reducers.
func (r *run) tasks(splits []mapreduce.Split) error {
	r.parts = make([][]record, r.reduces)
	for i := range splits {
		c := r.context(job.Map, i, &splits[i])
		if err := r.committed(c, func() error { return r.mapTask(c, &splits[i]) }); err != nil {
			return fmt.Errorf("map %d of %v: %w", i, &splits[i], err)
		}
	}
	for i, part := range r.parts {
		c := r.context(job.Reduce, i, nil)
		if err := r.committed(c, func() error { return r.reduceTask(c, part) }); err != nil {
			return fmt.Errorf("reducer %d: %w", i, err)
		}
	}
	return nil
}

// committed runs an attempt between the calls to the job's own committer, if the job has one.
func (r *run) committed(c *mapreduce.Context, attempt func() error) error {
	if r.job.Committer == nil {
		return attempt()
	}
	own := r.job.Committer()
	err := failureOr(own.SetupTask(c), attempt)
	needed := false
	if err == nil {
		needed, err = own.NeedsTaskCommit(c)
	}
	if needed && err == nil {
		err = own.CommitTask(c)
	}
	if err != nil {
		return errors.Join(err, own.AbortTask(c))
	}
	return nil
}

// failureOr returns err or, if it is nil, the result of next.
func failureOr(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

// succeed marks the output directory as complete.
func (r *run) succeed() error {
	dir := conf.OutputFileOutputFormatOutputDir.Get(r.env.Conf)
	if dir == "" {
		return nil
	}
	fs, name, err := r.env.FS.Resolve(dir)
	if err != nil {
		return err
	}
	w, err := fs.Create(r.ctx, path.Join(name, "_SUCCESS"), dfs.CreateOptions{})
	if err != nil {
		return err
	}
	return w.Close()
}

func (r *run) context(typ job.TaskType, i int, s *mapreduce.Split) *mapreduce.Context {
	info := mapreduce.TaskInfo{
		Attempt:      job.AttemptID{TaskID: job.TaskID{Job: r.id, Type: typ, Index: int32(i)}},
		JobName:      r.job.Name,
		Reduces:      r.reduces,
		Split:        s,
		WorkDir:      r.work,
		CreateOutput: r.createOutput,
	}
	return mapreduce.NewContext(r.ctx, mapreduce.Env{Conf: info.Configure(r.env.Conf), FS: r.env.FS}, info)
}

func (r *run) createOutput(name string) (io.WriteCloser, error) {
	dir := conf.OutputFileOutputFormatOutputDir.Get(r.env.Conf)
	if dir == "" {
		return nil, failure.New(failure.Config, "create", name, nil).Fix("set " + conf.OutputFileOutputFormatOutputDir.Name)
	}
	fs, d, err := r.env.FS.Resolve(dir)
	if err != nil {
		return nil, err
	}
	return fs.Create(r.ctx, path.Join(d, name), dfs.CreateOptions{})
}

func (r *run) mapTask(c *mapreduce.Context, s *mapreduce.Split) error {
	in, err := r.job.InputFormat().Open(c, s)
	if err != nil {
		return err
	}
	defer in.Close()
	c.SetRecordTypes(r.job.RecordTypes(r.env.Conf, in))
	out, finish, err := r.mapOutput(c)
	if err != nil {
		return err
	}
	m := r.job.NewMapper()
	err = lifecycle(c, m, out, func() error {
		for {
			key, value, err := in.Next()
			if err == io.EOF {
				return nil
			}
			if err == nil {
				c.Inc(job.MapInputRecords, 1)
				err = m.Map(c, key, value, out)
			}
			if err != nil {
				return err
			}
		}
	})
	if err == nil {
		err = finish()
	}
	r.counters.Merge(c.Counters())
	return err
}

// mapOutput returns the emitter of a map, which writes to the partitions or, in a map-only job, to
// the job's output. The returned function completes the map's output.
func (r *run) mapOutput(c *mapreduce.Context) (mapreduce.Emitter, func() error, error) {
	if r.reduces == 0 {
		kt, vt := r.job.MapOutputTypes(r.env.Conf)
		w, err := r.job.OutputFormat().Open(c, kt, vt)
		if err != nil {
			return nil, nil, err
		}
		return written{w, c, job.MapOutputRecords}, w.Close, nil
	}
	p, err := r.job.NewPartitioner(&r.env)
	if err != nil {
		return nil, nil, err
	}
	out := &collector{c: c, partitioner: p, parts: make([][]record, r.reduces)}
	return out, func() error { return r.collect(c, out.parts) }, nil
}

// collect sorts and combines the output of a map and appends it to the output of the previous maps.
func (r *run) collect(c *mapreduce.Context, parts [][]record) error {
	order := r.job.Comparator(r.env.Conf)
	for i, recs := range parts {
		if err := sortRecords(order, recs); err != nil {
			return err
		}
		if r.job.HasCombiner() && len(recs) > 0 {
			var err error
			if recs, err = r.combine(c, order, recs); err != nil {
				return fmt.Errorf("combiner: %w", err)
			}
		}
		r.parts[i] = append(r.parts[i], recs...)
	}
	return nil
}

func (r *run) combine(c *mapreduce.Context, order mapreduce.Comparator, recs []record) ([]record, error) {
	out := &collector{parts: make([][]record, 1)}
	comb := r.job.Combiner.New()
	err := lifecycle(c, comb, out, func() error {
		if whole, ok := comb.(mapreduce.RunCombiner); ok {
			return combineRun(c, whole, order, recs, out)
		}
		return reduceAll(c, comb, order, recs, out)
	})
	c.Inc(job.CombineInputRecords, int64(len(recs)))
	c.Inc(job.CombineOutputRecords, int64(len(out.parts[0])))
	return out.parts[0], err
}

// combineRun passes all records to a combiner in one call and sorts the combiner's output.
func combineRun(c *mapreduce.Context, comb mapreduce.RunCombiner, order mapreduce.Comparator, recs []record,
	out *collector) error {
	err := comb.CombineRun(c, func(yield func(key, value []byte) bool) {
		for _, x := range recs {
			if !yield(x.key, x.value) {
				return
			}
		}
	}, out)
	if err != nil {
		return err
	}
	return sortRecords(order, out.parts[0])
}

// collector copies records into partitions.
type collector struct {
	c           *mapreduce.Context    // for counting; nil = do not count records
	partitioner mapreduce.Partitioner // nil = all records go to partition 0
	parts       [][]record
}

func (o *collector) Emit(key, value []byte) error {
	p := 0
	if o.partitioner != nil {
		p = o.partitioner.Partition(key, value, len(o.parts))
	}
	if p < 0 || p >= len(o.parts) {
		return failure.New(failure.User, "partition", "", fmt.Errorf("Illegal partition %d of %d", p, len(o.parts)))
	}
	if o.c != nil {
		o.c.Inc(job.MapOutputRecords, 1)
		o.c.Inc(job.MapOutputBytes, int64(len(key)+len(value)))
	}
	o.parts[p] = append(o.parts[p], record{bytes.Clone(key), bytes.Clone(value)})
	return nil
}

// sortRecords sorts records stably by key. It also checks that the comparator is consistent.
func sortRecords(order mapreduce.Comparator, recs []record) error {
	slices.SortStableFunc(recs, func(a, b record) int { return order.Compare(a.key, b.key) })
	for i := 1; i < len(recs); i++ {
		a, b := recs[i-1].key, recs[i].key
		if order.Compare(a, b) > 0 || order.Compare(b, a) < 0 {
			return failure.New(failure.User, "compare", fmt.Sprintf("%x and %x", a, b), nil).Fix("Compare must define an order")
		}
		if p, q := order.Prefix(a), order.Prefix(b); p > q || p != q && order.Compare(a, b) == 0 {
			return failure.New(failure.User, "compare", fmt.Sprintf("%x and %x", a, b),
				nil).Fix("Prefix must have the same order as Compare")
		}
	}
	return nil
}

func (r *run) reduceTask(c *mapreduce.Context, recs []record) error {
	if err := sortRecords(r.job.Comparator(r.env.Conf), recs); err != nil {
		return err
	}
	kt, vt := r.job.OutputTypes(r.env.Conf)
	w, err := r.job.OutputFormat().Open(c, kt, vt)
	if err != nil {
		return err
	}
	red := r.job.NewReducer()
	group := r.job.GroupComparator(r.env.Conf)
	c.Inc(job.ReduceInputGroups, countGroups(group, recs))
	c.Inc(job.ReduceInputRecords, int64(len(recs)))
	out := written{w, c, job.ReduceOutputRecords}
	err = lifecycle(c, red, out, func() error { return reduceAll(c, red, group, recs, out) })
	if err == nil {
		err = w.Close()
	}
	r.counters.Merge(c.Counters())
	return err
}

func countGroups(group mapreduce.Comparator, recs []record) (n int64) {
	for i := range recs {
		if i == 0 || group.Compare(recs[i-1].key, recs[i].key) != 0 {
			n++
		}
	}
	return n
}

// reduceAll calls a reducer for each group of the sorted records.
func reduceAll(c *mapreduce.Context, red mapreduce.Reducer, group mapreduce.Comparator, recs []record,
	out mapreduce.Emitter) error {
	for start := 0; start < len(recs); {
		end := start + 1
		for end < len(recs) && group.Compare(recs[start].key, recs[end].key) == 0 {
			end++
		}
		if err := reduceGroup(c, red, recs[start:end], out); err != nil {
			return err
		}
		start = end
	}
	return nil
}

func reduceGroup(c *mapreduce.Context, red mapreduce.Reducer, group []record, out mapreduce.Emitter) error {
	c.SetKey(group[0].key)
	return red.Reduce(c, group[0].key, func(yield func([]byte) bool) {
		for _, rec := range group {
			c.SetKey(rec.key)
			if !yield(rec.value) {
				return
			}
		}
	}, out)
}

// lifecycle calls the Setup of a mapper, reducer, or combiner, then work, then Cleanup. After an
// error, it skips the remaining calls. It always calls Close last.
func lifecycle(c *mapreduce.Context, user any, out mapreduce.Emitter, work func() error) error {
	if x, ok := user.(mapreduce.Closer); ok {
		defer x.Close()
	}
	if s, ok := user.(mapreduce.Setupper); ok {
		if err := s.Setup(c); err != nil {
			return err
		}
	}
	if err := work(); err != nil {
		return err
	}
	if s, ok := user.(mapreduce.Cleanuper); ok {
		return s.Cleanup(c, out)
	}
	return nil
}

// written is an emitter that writes to the job's output.
type written struct {
	mapreduce.RecordWriter
	c       *mapreduce.Context
	counter job.CounterID
}

func (w written) Emit(key, value []byte) error {
	w.c.Inc(w.counter, 1)
	return w.Write(key, value)
}
