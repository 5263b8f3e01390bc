package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
)

// benchTasks is the number of tasks on the benchmark's node.
const benchTasks = 100

// benchBeat is the interval between heartbeats in ms. It is the default for small clusters, like
// the one in the paper.
const benchBeat = 300

// BenchmarkLocalManager measures one epoch of a node's manager: samples of real control groups,
// encoding of reports, decoding of advice, estimates, and orders. Every heartbeat repeats the
// orders. Each task has orders, some orders change in an epoch, and the changes go to the kernel.
// The benchmark is skipped if this user is not allowed to create groups. "make bench-orchestrator"
// adds up the results.
func BenchmarkLocalManager(b *testing.B) {
	tree, err := cgroup.Open(cgroup.Config{Parent: "/howdah-bench", Name: "tasktracker",
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Skip(err)
	}
	defer func() {
		_ = tree.Close(context.Background())
		_ = cgroup.RemoveParent(cgroup.Config{Parent: "/howdah-bench"})
	}()
	var all []running
	for i := range int32(benchTasks) {
		g, err := tree.Group(fmt.Sprintf("child-%d", i), cgroup.Limits{Memory: 1 << 30})
		if err != nil {
			b.Fatal(err)
		}
		a := job.Attempt{Task: job.Task{Job: 1 + i%6, Index: i}}
		m := &meter{group: g, log: slog.New(slog.DiscardHandler)}
		if err := m.begin(a, cgroup.Limits{Weight: cgroup.DefaultWeight, Memory: 1 << 30}); err != nil {
			b.Fatal(err)
		}
		all = append(all, running{attempt: a, child: &child{meter: m, attempt: a, grants: make(chan grant, 1)}, meter: m,
			since: time.Now(), base: m.base})
	}
	for _, method := range []string{"uniform", "regression"} {
		b.Run(method, func(b *testing.B) {
			c := orchestrator.DefaultConfig()
			c.Estimator = method
			l := newLocal(orchestrator.Settings{Mode: orchestrator.On, Config: c, NodeCPU: 100_000}, 1<<20)
			defer l.close()
			round := 0
			begin := processTime()
			for b.Loop() {
				for range c.Epoch / c.Sample {
					round++
					l.benchSample(b, round, all)
				}
				l.benchAdvice(b, int64(round), all)
				l.benchOrders(b, int64(round)/(c.Epoch/c.Sample), all)
			}
			b.ReportMetric(float64(processTime()-begin)/float64(b.N)/float64(c.Epoch*int64(time.Millisecond))*100, "%core")
		})
	}
}

// benchSample takes a sample and sends the heartbeat with it. Tasks age by one sample interval each
// time, so the manager looks back over one epoch instead of the whole benchmark.
func (l *local) benchSample(b *testing.B, round int, all []running) {
	for i := range all {
		all[i].since = all[i].since.Add(-time.Duration(l.settings.Config.Sample) * time.Millisecond)
		all[i].progress = int32(round*(1000+i)) % orchestrator.Million
	}
	now, samples := l.sample(round, all, 1<<20)
	l.observe(now, samples, 1<<20, 0)
	if _, err := proto.Marshal(toShares(l.report())); err != nil {
		b.Fatal(err)
	}
}

// benchAdvice receives a response with advice and sends the heartbeat that responds to it.
func (l *local) benchAdvice(b *testing.B, epoch int64, all []running) {
	advice := &tracker.Advice{Epoch: epoch, Attempt: &tracker.Attempts{}, CpuVerdict: make([]uint32, len(all)),
		MemoryVerdict: make([]uint32, len(all)), Whole: make([]bool, len(all))}
	for i := range all {
		advice.Attempt.Append(all[i].attempt)
		advice.CpuMean, advice.MemoryMean = append(advice.CpuMean, 500), append(advice.MemoryMean, 300)
		advice.Target, advice.Pressed = append(advice.Target, 60_000), append(advice.Pressed, i%3 == 0)
	}
	m, err := proto.Marshal(&tracker.Desired{Advice: advice}) // the JobTracker's work
	if err != nil {
		b.Fatal(err)
	}
	got := &tracker.Desired{}
	if err := proto.Unmarshal(m, got); err != nil {
		b.Fatal(err)
	}
	l.hear(fromDesired(got))
	if _, err := proto.Marshal(toShares(l.report())); err != nil {
		b.Fatal(err)
	}
}

// benchOrders receives an epoch's responses with orders. Leases are renewed on the cluster's
// schedule. One task in seven gets a new share of CPU, and one in seven a new share of memory.
// MRO-2 makes 0.23 to 0.31 decisions per task and epoch.
func (l *local) benchOrders(b *testing.B, epoch int64, all []running) {
	for _, x := range l.seen {
		x.ordered = x.ordered.Add(-time.Duration(l.settings.Config.Epoch) * time.Millisecond)
	}
	limits := &tracker.Limits{Attempt: &tracker.Attempts{}}
	for i := range all {
		cpu, memory := int32((epoch+int64(i))/7), int32((epoch+int64(i)+3)/7)
		limits.Attempt.Append(all[i].attempt)
		limits.Cpu, limits.Memory = append(limits.Cpu, 700+10*(cpu%7)), append(limits.Memory, 900+memory%7)
	}
	m, err := proto.Marshal(&tracker.Desired{Limits: limits}) // the JobTracker's work
	if err != nil {
		b.Fatal(err)
	}
	for range l.settings.Config.Epoch / benchBeat {
		got := &tracker.Desired{}
		if err := proto.Unmarshal(m, got); err != nil {
			b.Fatal(err)
		}
		l.hear(fromDesired(got))
		l.obey(<-l.orders, &GroupConfig{Memory: true, SoftShare: 90}, slog.New(slog.DiscardHandler))
	}
	for _, r := range all {
		if x := l.seen[r.attempt]; x.refused != nil || x.holds == (share{}) {
			b.Fatal("a limit does not hold")
		}
		select {
		case <-r.child.grants:
		default:
		}
	}
}

// processTime returns the total CPU time of this process.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
