package task

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/sortio"
)

// RunReduce runs one reduce attempt. It collects and merges the outputs of all maps, passes each
// group to the reducer, and writes the reducer's records to the output format. It returns the same
// kinds of errors as RunMap.
func RunReduce(ctx context.Context, s *Spec, e *Env) (*Outcome, error) {
	return run(ctx, s, e, (*attempt).runReduce)
}

func (a *attempt) runReduce() error {
	in, err := a.shuffle()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := a.formatSink(job.ReduceOutputRecords)
	if err != nil {
		return err
	}
	reducer := a.spec.Job.NewReducer()
	if err := a.setup(reducer, "reducer"); err != nil {
		return err
	}
	groups := sortio.NewGroups(in.Merger, a.spec.Job.Grouping(a.conf), a.c.SetKey)
	values := newValueWatch(a, groups)
	skips, err := a.skippingGroups(values)
	if err != nil {
		return err
	}
	a.live.enter(job.PhaseReduce, func() float32 { return float32(values.read.Load()) / float32(max(in.Bytes, 1)) })
	if err := a.user("reduce", func() error { return a.reduceAll(reducer, values, skips, out) }); err != nil {
		return err
	}
	if err := a.cleanup(reducer, "reducer", out); err != nil {
		return err
	}
	if err := skips.close(); err != nil {
		return err
	}
	return out.close()
}

// reduceAll passes all groups to the reducer, except those that it must skip.
func (a *attempt) reduceAll(r mapreduce.Reducer, v *valueWatch, skips *groupSkipper, out mapreduce.Emitter) error {
	defer v.count()
	done, err := a.countsRecords()
	if err != nil {
		return err
	}
	groups := v.groups
	for !skips.over() && groups.Next() {
		a.c.SetKey(groups.Key())
		if skipped, err := skips.skip(); skipped {
			if err != nil {
				return err
			}
			continue
		}
		if err := r.Reduce(a.c, groups.Key(), v.values, out); err != nil {
			if bad := groups.Err(); bad != nil { // a read error ended the reducer's values early
				return a.fault("read the merged map output", bad)
			}
			return err
		}
		done.Add(1)
		if v.look(); v.killed {
			return stopped(a.ctx)
		}
	}
	if err := groups.Err(); err != nil {
		return a.fault("read the merged map output", err)
	}
	return nil
}

// valueWatch periodically checks the context and updates counters while the reducer reads values,
// even inside a huge group. Its functions are created only once, to avoid allocations for each
// group.
type valueWatch struct {
	a      *attempt
	groups *sortio.Groups
	values iter.Seq[[]byte] // values of the current group
	step   func([]byte) bool
	yield  func([]byte) bool

	n      int
	bytes  int64        // number of key and value bytes read so far
	read   atomic.Int64 // copy of bytes for observers
	killed bool

	doneGroups, doneRecords int64 // already counted
}

func newValueWatch(a *attempt, groups *sortio.Groups) *valueWatch {
	v := &valueWatch{a: a, groups: groups}
	raw := groups.Values()
	v.step = v.one
	v.values = func(yield func([]byte) bool) {
		v.yield = yield
		raw(v.step)
	}
	return v
}

// one passes a value to the reducer. If the attempt has been killed, it ends the values early.
func (v *valueWatch) one(b []byte) bool {
	v.bytes += int64(len(b) + len(v.a.c.Key()))
	v.look()
	return !v.killed && v.yield(b)
}

func (v *valueWatch) look() {
	if v.n++; v.n%checkEvery == 0 {
		v.killed = v.a.ctx.Err() != nil
		v.count()
	}
}

func (v *valueWatch) count() {
	v.read.Store(v.bytes)
	g, r := v.groups.Groups(), v.groups.Records()
	v.a.c.Inc(job.ReduceInputGroups, g-v.doneGroups)
	v.a.c.Inc(job.ReduceInputRecords, r-v.doneRecords)
	v.doneGroups, v.doneRecords = g, r
}
