package local

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/task"
	"github.com/howdah/howdah/task/shuffle"
)

// grace is how long the runner waits for canceled tasks to end. After that, it abandons
// unresponsive user code.
const grace = 5 * time.Second

// tasks runs n tasks of type t with limited concurrency. The first failure that the job does not
// tolerate cancels the other tasks.
func (r *run) tasks(ctx context.Context, t job.TaskType, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := &tally{run: r, fail: cancel, of: n}
	var next atomic.Int32
	var wg sync.WaitGroup
	for slot := range min(n, r.limits[t]) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				k.add(r.task(ctx, t, i, slot))
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		select {
		case <-ended:
		case <-time.After(grace):
		}
	}
	return k.close(ctx)
}

// tally collects the results of tasks until close.
type tally struct {
	run    *run
	fail   context.CancelCauseFunc
	mu     sync.Mutex
	err    error // first error
	closed bool
	of     int // number of tasks
	failed int // number of failed tasks
}

func (k *tally) add(id job.AttemptID, out *task.Outcome, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed:
	case err == nil:
		k.run.counters.Merge(out.Counters)
		k.run.progress.end(id.Type, int(id.Index))
		if id.Type == job.Map {
			k.run.mapAttempts[id.Index] = id.N
		}
		k.run.winners = append(k.run.winners, commit.Winner{Attempt: id.String(), Files: out.Files})
		if err := k.run.counters.CheckLimits(k.run.mayCount[0], k.run.mayCount[1]); err != nil && k.err == nil {
			k.err = failure.New(failure.Limit, "count for", k.run.id.String(), err).
				Fix("raise mapreduce.job.counters.max or mapreduce.job.counters.groups.max")
			k.fail(k.err)
		}
	case k.err == nil && !k.bears(id, err):
		k.err = err
		k.fail(err)
	}
}

// bears reports whether the job can continue without the task of attempt id, which failed with err.
// If so, it logs and counts the failure. mapreduce.map.failures.maxpercent and
// mapreduce.reduce.failures.maxpercent set the limit.
func (k *tally) bears(id job.AttemptID, err error) bool {
	if failure.Is(err, failure.Killed) {
		return false
	}
	k.failed++
	if k.failed*100 > k.run.mayFail[id.Type]*k.of {
		return false
	}
	r := k.run
	fmt.Fprintf(r.Log, "the job continues without %s: %v\n", id.TaskID, err)
	r.counters.Builtin[[2]job.CounterID{job.FailedMaps, job.FailedReduces}[id.Type]]++
	if r.progress.end(id.Type, int(id.Index)); id.Type == job.Map {
		r.mapAttempts[id.Index] = -1
	}
	return true
}

// close returns the first failure, or else the reason why the tasks ended early, or nil.
func (k *tally) close(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.err == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return k.err
}

// once runs attempt n of task i in a slot. In skipping mode, it calls hand with the range of records
// being processed.
func (r *run) once(ctx context.Context, t job.TaskType, i, n, slot int, skips *skip.Plan,
	hand func(job.Range)) (job.AttemptID, *task.Outcome, error) {
	id := job.AttemptID{TaskID: job.TaskID{Job: r.id, Type: t, Index: int32(i)}, N: int32(n)}
	s, err := r.attempt(id, strconv.Itoa(slot))
	if err != nil {
		return id, nil, err
	}
	s.Skips = skips
	live := r.progress.begin(t, i)
	e := &task.Env{FS: r.FS, Live: live, Log: r.Log, LogPlace: r.logPlace, InHand: hand}
	e.MapOutputs.Own, e.MapOutputs.Cache = r.outputs, r.files
	var out *task.Outcome
	if t == job.Map {
		out, err = task.RunMap(ctx, s, e)
	} else {
		e.MapOutputs.Events, e.MapOutputs.LocalAddr = r.mapEvents(), localAddr
		out, err = task.RunReduce(ctx, s, e)
	}
	clean(s.WorkDir)
	if err != nil {
		return id, nil, failure.New(failure.KindOf(err), "run", id.TaskID.String(), err)
	}
	return id, out, nil
}

// clean removes an attempt's working directory unless it is like new, so that the slot's next
// attempt can use it. Creating and removing a directory takes a large part of the time of a small
// attempt.
func clean(work string) {
	if info, err := os.Lstat(work); err == nil && info.Mode() == fs.ModeDir|0o700 {
		if all, err := os.ReadDir(work); err == nil && len(all) == 0 {
			return
		}
	}
	owned.RemoveAll(context.Background(), work)
}

// localAddr is the address of this process in the list of map outputs. It is only a placeholder.
const localAddr = "local"

// mapEvents returns a channel that delivers all map outputs and is then closed. All outputs are in
// this process.
func (r *run) mapEvents() <-chan shuffle.Completion {
	events := make(chan shuffle.Completion, len(r.splits))
	for i, n := range r.mapAttempts {
		events <- shuffle.Completion{Map: int32(i), Attempt: n, Addr: localAddr}
	}
	close(events)
	return events
}

// count sets the counters that belong to the job rather than to a task.
func (r *run) count(u task.Usage) {
	b := &r.counters.Builtin
	b[job.LaunchedMaps], b[job.LaunchedReduces] = r.progress.launched(job.Map), r.progress.launched(job.Reduce)
	b[job.CPUMillis] = u.CPU.Milliseconds()
	b[job.GCTimeMillis] = u.GC.Milliseconds()
	b[job.PhysicalMemoryBytes], b[job.VirtualMemoryBytes], b[job.CommittedHeapBytes] = u.Physical, u.Virtual, u.Heap
}
