package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
	"github.com/howdah/howdah/tasktracker/daemon"
)

// node is a simulated TaskTracker. Its children start and exit immediately, and run an attempt for
// a random time.
type node struct {
	link    *daemon.Link
	machine *tasktracker.Machine
	cluster string        // first part of job IDs
	mean    time.Duration // of a map
	news    chan struct{}

	queue   []tasktracker.Input
	out     []tasktracker.Output
	tasks   map[int32]*task  // by child
	outputs map[int32]string // output directories by job; "" means that the job has none
}

// task is a running attempt.
type task struct {
	id         job.Attempt
	begun, end time.Time
}

func newNode(addr string, rpc rpc.Options, i int, o options, tap func(time.Duration)) (*node, error) {
	slots := [2]int32{job.Map: int32(o.slots)}
	link, err := daemon.NewLink(addr, rpc, fmt.Sprintf("simulated-%d", i), slots)
	if err != nil {
		return nil, err
	}
	link.Tap = tap
	return &node{link: link, mean: o.task, news: make(chan struct{}, 1), tasks: map[int32]*task{},
		outputs: map[int32]string{}, machine: tasktracker.New(tasktracker.Config{Slots: slots,
			Incarnation: time.Now().UnixMilli(), KillDelay: 5000, IdleExit: 1000, Retry: 100, MaxRetry: 2000})}, nil
}

// run drives the node until ctx is done.
func (n *node) run(ctx context.Context) {
	defer n.link.Close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.news:
			n.feed(ctx, tasktracker.Input{Kind: tasktracker.InNews})
		case <-timer.C:
			for child, t := range n.tasks {
				n.queue = append(n.queue, n.progress(child, t))
			}
			n.feed(ctx, tasktracker.Input{Kind: tasktracker.InTick})
		}
		due := time.UnixMilli(n.machine.NextDeadline())
		for _, t := range n.tasks {
			if t.end.Before(due) {
				due = t.end
			}
		}
		timer.Reset(time.Until(due))
	}
}

// progress returns the message of an attempt's child. At the end of the attempt, it writes the
// attempt's output, if its job has an output directory.
func (n *node) progress(child int32, t *task) tasktracker.Input {
	done := min(float64(time.Since(t.begun))/float64(t.end.Sub(t.begun)), 1)
	p := &tasktracker.Progress{Phase: job.PhaseMap, Millionths: int32(done * 1e6), Alive: true}
	for id := range job.CounterID(10) {
		p.Builtin = append(p.Builtin, tasktracker.BuiltinValue{ID: id, Value: int64(done * 1e9)})
	}
	in := tasktracker.Input{Kind: tasktracker.InProgress, Child: child, Progress: p}
	if done < 1 {
		return in
	}
	delete(n.tasks, child)
	in.Kind = tasktracker.InDone
	dir := n.outputs[t.id.Job]
	if dir == "" {
		return in
	}
	name := fmt.Sprintf("part-m-%05d", t.id.Index)
	dir = filepath.Join(strings.TrimPrefix(dir, "file:"), "_temporary", "0", t.id.ID(n.cluster).String())
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644)
	}
	if err != nil {
		in.Kind, in.Failure, in.Text = tasktracker.InFailed, failure.KindOf(err), err.Error()
		return in
	}
	in.Files = []job.OutputFile{{Name: name, Length: int64(len(name))}}
	return in
}

// feed passes the queued inputs and in to the machine, and then all inputs that result from its
// outputs.
func (n *node) feed(ctx context.Context, in tasktracker.Input) {
	for n.queue = append(n.queue, in); len(n.queue) > 0; {
		next := n.queue[0]
		n.queue = n.queue[1:]
		next.Now = time.Now().UnixMilli()
		n.out = n.machine.Step(&next, n.out[:0])
		for i := range n.out {
			n.carryOut(ctx, &n.out[i])
		}
	}
}

func (n *node) carryOut(ctx context.Context, o *tasktracker.Output) {
	switch o.Kind {
	case tasktracker.OutRegister, tasktracker.OutBeat, tasktracker.OutLocalize:
		in, dir := n.link.Call(ctx, o, n.wake)
		if in.Kind == tasktracker.InRegistered {
			n.cluster = in.Cluster
		}
		if in.Kind == tasktracker.InJobReady {
			n.outputs[in.Job] = dir
		}
		n.queue = append(n.queue, in)
	case tasktracker.OutPurge:
		delete(n.outputs, o.Job)
	case tasktracker.OutSpawn:
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InReady, Child: o.Child})
	case tasktracker.OutLaunch:
		now := time.Now()
		took := n.mean/2 + time.Duration(rand.Int64N(int64(n.mean)))
		if n.outputs[o.Attempt.Job] != "" {
			took /= 10 // so that the job commits during the measurement
		}
		n.tasks[o.Child] = &task{id: o.Attempt, begun: now, end: now.Add(took)}
	case tasktracker.OutExit, tasktracker.OutTerm, tasktracker.OutKill:
		delete(n.tasks, o.Child)
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InExited, Child: o.Child, Failure: failure.Killed})
	}
}

// wake makes the node send a heartbeat soon.
func (n *node) wake() {
	select {
	case n.news <- struct{}{}:
	default:
	}
}
