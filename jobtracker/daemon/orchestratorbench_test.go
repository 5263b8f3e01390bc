package daemon

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	decided "github.com/howdah/howdah/orchestrator/daemon"
)

// The cluster of the benchmark.
const (
	benchNodes = 24
	benchTasks = 100
)

// benchBeat is the ms between two beats of a node.
const benchBeat = 300

// BenchmarkGlobalManager is an epoch of the JobTracker's manager: reports of all nodes that are decoded, advice that is encoded, detector
// and balancer, limits of decisions, and the orders of all tasks, which every beat repeats. "make bench-orchestrator" adds up what it
// tells.
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
			if _, err := proto.Marshal(&tracker.Desired{Advice: g.beat(now, int32(n+1), s)}); err != nil {
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
		for range c.Epoch / c.Sample { // one report for each sample
			now += c.Sample
			beats(round)
		}
		at := time.Now()
		g.machine.Tick(now, nil, nil)
		detect = append(detect, time.Since(at))
		round++
		beats(round) // what the estimators say
		made := decided.Limits(g.machine.Tick(now+c.Epoch/2, nil, nil), nil, func(job.Attempt) (cpu, memory int32) { return 0, 0 })
		decisions += len(made)
		for range benchNodes * c.Epoch / benchBeat {
			if _, err := proto.Marshal(toDesired(orders, 0, nil)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(processTime()-begin)/float64(b.N)/float64(c.Epoch*int64(time.Millisecond))*100, "%core")
	b.ReportMetric(float64(decisions)/float64(b.N), "limits")
	slices.Sort(detect)
	b.ReportMetric(float64(detect[len(detect)/2].Microseconds())/1000, "ms/detect")
}

// benchOrders is what a beat of a node brings it on account of its manager.
func benchOrders() *jobtracker.Desired {
	d := &jobtracker.Desired{}
	for i := range int32(benchTasks) {
		d.Limits = append(d.Limits, jobtracker.Limit{Attempt: job.Attempt{Task: job.Task{Job: 1 + i%6, Index: i}}, CPU: 700 + i, Memory: 900})
	}
	return d
}

// benchReport is what a node says: tasks of several jobs, which differ in what they use and want.
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

// processTime is the CPU time that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
