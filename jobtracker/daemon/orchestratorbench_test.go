package daemon

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
)

// The size of the simulated cluster.
const (
	benchNodes = 24
	benchTasks = 100
)

// benchBeat is the interval between two heartbeats of a node, in milliseconds.
const benchBeat = 300

// BenchmarkGlobalManager runs one epoch of the JobTracker's manager. It decodes the reports of all
// nodes, encodes advice, runs the detector and the balancer, and sets limits. It also repeats the
// orders of all tasks with every heartbeat. "make bench-orchestrator" adds up the results.
func BenchmarkGlobalManager(b *testing.B) {
	c := orchestrator.DefaultConfig()
	reports := make([][]byte, benchNodes)
	g := newGlobal(orchestrator.Settings{Mode: orchestrator.On, Config: c}, 0)
	var detect []time.Duration
	now, round := int64(0), int64(0)
	beats := func(answers int64) {
		for n := range reports {
			s := &tracker.Shares{}
			if err := proto.Unmarshal(reports[n], s); err != nil {
				b.Fatal(err)
			}
			for i := range s.Answers {
				s.Answers[i] = answers
			}
			if _, err := proto.Marshal(&tracker.Desired{Advice: toAdvice(g.beat(now, int32(n+1), fromShares(s)))}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for n := range reports {
		reports[n] = benchReport(b, int64(n))
	}
	orders := benchOrders()
	decisions := 0
	begin := processTime()
	for b.Loop() {
		for range c.Epoch / c.Sample { // one report per sample interval
			now += c.Sample
			beats(round)
		}
		at := time.Now()
		g.machine.Tick(now, nil, nil)
		detect = append(detect, time.Since(at))
		round++
		beats(round) // the estimators' part
		made := orchestrator.Limits(g.machine.Tick(now+c.Epoch/2, nil, nil), nil,
			func(job.Attempt) (cpu, memory int32) { return 0, 0 })
		decisions += len(made)
		for range benchNodes * c.Epoch / benchBeat {
			if _, err := proto.Marshal(toDesired(orders)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(processTime()-begin)/float64(b.N)/float64(c.Epoch*int64(time.Millisecond))*100, "%core")
	b.ReportMetric(float64(decisions)/float64(b.N), "limits")
	slices.Sort(detect)
	b.ReportMetric(float64(detect[len(detect)/2].Microseconds())/1000, "ms/detect")
}

// benchOrders returns the manager's part of the reply to a node's heartbeat.
func benchOrders() *heartbeat.Desired {
	d := &heartbeat.Desired{}
	for i := range int32(benchTasks) {
		d.Limits = append(d.Limits, heartbeat.Limit{Attempt: job.Attempt{Task: job.Task{Job: 1 + i%6, Index: i}},
			CPU: 700 + i, Memory: 900})
	}
	return d
}

// benchReport returns a node's report with tasks of several jobs that differ in usage and demand.
func benchReport(b *testing.B, node int64) []byte {
	s := &tracker.Shares{Cpu: 100_000, Memory: 100_000, Attempt: &tracker.Attempts{}}
	add := func(column *[]int64, n int64) { *column = append(*column, n) }
	for i := range int64(benchTasks) {
		x := (node*7 + i*13) % 100
		s.Attempt.Append(job.Attempt{Task: job.Task{Job: int32(1 + i%6), Index: int32(node*benchTasks + i)}})
		add(&s.CpuUsed, 500+10*x)
		add(&s.MemoryUsed, 300+5*x)
		add(&s.CpuHeld, 1000)
		add(&s.MemoryHeld, 700)
		add(&s.Elapsed, 60_000)
		add(&s.Left, 30_000+1000*x)
		add(&s.Answers, 1)
		add(&s.CpuWanted, 700+5*x)
		add(&s.MemoryWanted, 900)
	}
	m, err := proto.Marshal(s)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// processTime returns the CPU time of this process.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
