// Command simspeed measures the simulator as in SIM section IV-E. It replays a trace of 1148 jobs
// like the paper's on 64 nodes, with and without simulated TaskTracker heartbeats.
//
//	make bench-sim
//	go run ./integration/bench/simspeed -jobs 300
//
// Each measurement runs in its own process and thus has its own peak memory. Times are the best of
// several runs on one core; the simulation that does not skip heartbeats runs only once. Memory is
// the median of five runs that generate the trace job by job, both for the trace and for one that
// is ten times as long.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

const nodes = 64

// outcome is the report of a child process.
type outcome struct {
	Seconds float64 // wall-clock time, best of the repetitions
	CPU     float64 // CPU time of that repetition
	RSS     int64   // peak resident memory of the process, in bytes
	Result  *trace.Result
}

func main() {
	log.SetFlags(0)
	one := flag.String("one", "", "measure task, beats or every, and print it as JSON (for the command itself)")
	jobs := flag.Int("jobs", 1148, "jobs of the trace")
	times := flag.Int("times", 5, "repetitions")
	stream := flag.Bool("stream", false, "draw the trace job by job while it runs")
	flag.Parse()
	if *one != "" {
		o, err := measure(*one, *jobs, *times, *stream)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(o)
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := report(*jobs, *times); err != nil {
		log.Fatal(err)
	}
}

func measure(what string, jobs, times int, stream bool) (*outcome, error) {
	runtime.GOMAXPROCS(1)
	source := func() trace.Source { return generate.TestbedLike(jobs, nil, 1) }
	if !stream {
		t, err := generate.Collect("testbed", source())
		if err != nil {
			return nil, err
		}
		source = t.Source
	}
	best := &outcome{}
	for i := range times {
		runtime.GC()
		start, cpu := time.Now(), usage().cpu
		r, err := run(what, source())
		if err != nil {
			return nil, err
		}
		if s := time.Since(start).Seconds(); i == 0 || s < best.Seconds {
			*best = outcome{Seconds: s, CPU: usage().cpu - cpu, Result: r}
		}
	}
	best.RSS = usage().rss
	best.Result.Jobs = nil
	return best, nil
}

func run(what string, src trace.Source) (*trace.Result, error) {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	if err != nil {
		return nil, err
	}
	if what == "task" {
		return tasklevel.Run(context.Background(), tasklevel.Config{Slots: [2]int32{nodes, nodes}, Scheduler: "fifo",
			Policy: p, Seed: 1}, src)
	}
	return simulator.Run(context.Background(), simulator.Config{Trackers: nodes, Slots: [2]int32{1, 1}, Heartbeat: 3000,
		KeepIdleBeats: what == "every",
		Scheduler:     "fifo", Policy: p, Seed: 1, Journal: io.Discard}, src)
}

type used struct {
	cpu float64
	rss int64
}

func usage() used {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	rss := int64(u.Maxrss)
	if runtime.GOOS != "darwin" { // bytes on darwin, KiB elsewhere
		rss *= 1024
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return used{seconds(u.Utime) + seconds(u.Stime), rss}
}

// child runs a measurement in a separate process.
func child(what string, jobs, times int, stream bool) (*outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-one", what, "-jobs", strconv.Itoa(jobs), "-times", strconv.Itoa(times),
		"-stream="+strconv.FormatBool(stream))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", what, err)
	}
	o := &outcome{}
	return o, json.Unmarshal(out, o)
}

func report(jobs, times int) error {
	fmt.Printf("A testbed-like trace of %d jobs, FIFO, %d nodes, one core, journal hashed "+
		"(SimMR: 1.5 s, Mumak: 680 s)\n\n", jobs, nodes)
	task, err := child("task", jobs, times, false)
	if err != nil {
		return err
	}
	fmt.Printf("task level        %8.3f s by the clock, %.3f s of CPU: %.1f M events/s (%.1f M by CPU), %.0f simulated "+
		"hours\n", task.Seconds, task.CPU,
		float64(task.Result.Events)/task.Seconds/1e6, float64(task.Result.Events)/task.CPU/1e6, hours(task.Result))
	for _, k := range task.Result.Kinds {
		fmt.Printf("  %-18s %9d\n", k.Kind, k.N)
	}
	beats, err := child("beats", jobs, times, false)
	if err != nil {
		return err
	}
	every, err := child("every", jobs, 1, false)
	if err != nil {
		return err
	}
	fmt.Printf("\nbeats every 3 s   %8.3f s by the clock, %.3f s of CPU, %d inputs, %.0f simulated hours\n", beats.Seconds,
		beats.CPU, beats.Result.Events, hours(beats.Result))
	fmt.Printf("no beat left out  %8.3f s by the clock, %.3f s of CPU, %d inputs; journals equal: %v\n\n", every.Seconds,
		every.CPU, every.Result.Events, every.Result.Hash == beats.Result.Hash)
	for _, what := range []string{"task", "beats"} {
		if err := memory(what, jobs); err != nil {
			return err
		}
	}
	return nil
}

// memory compares the peak memory for a trace with the peak memory for a trace that is ten times as
// long. From the latter, it first subtracts perJob bytes for each additional job.
func memory(what string, jobs int) error {
	short, err := peak(what, jobs)
	if err != nil {
		return err
	}
	long, err := peak(what, 10*jobs)
	if err != nil {
		return err
	}
	const perJob = 300
	kept := int64(9 * jobs * perJob)
	fmt.Printf("memory, %-6s %6.1f MiB; ten times the trace %6.1f MiB, without %d B a finished job %.2f times\n", what+":",
		mib(short), mib(long),
		perJob, float64(long-kept)/float64(short))
	return nil
}

// peak returns the median peak memory of five runs because the timing of garbage collection varies.
func peak(what string, jobs int) (int64, error) {
	var all []int64
	for range 5 {
		o, err := child(what, jobs, 1, true)
		if err != nil {
			return 0, err
		}
		all = append(all, o.RSS)
	}
	slices.Sort(all)
	return all[2], nil
}

func hours(r *trace.Result) float64 { return float64(r.Makespan) / 3600e3 }

func mib(b int64) float64 { return float64(b) / (1 << 20) }
