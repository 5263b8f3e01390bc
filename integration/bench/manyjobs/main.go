// Command manyjobs runs thousands of small jobs (one map of a few bytes, one reduce) through one
// JobTracker and checks that its resource usage does not grow. It compares the memory and the
// number of open files at the end with those after a fifth of the jobs. It also checks that the
// first job's status is available. Finally, it kills the JobTracker with kill -9 and measures the
// time until a new JobTracker on the same directory accepts a job. It exits with 1 if a limit is
// exceeded. It requires Linux.
//
//	make bench-manyjobs
//	go run ./integration/bench/manyjobs -jobs 500
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/howdah/howdah/integration/bench/program"
)

// The limits, and the maximum number of jobs between two samples.
const (
	maxGrowth   = 32 << 20 // bytes of RSS
	maxFiles    = 10       // change in the number of open files
	maxRestart  = 2 * time.Second
	maxClients  = 256
	sampleEvery = 500 // jobs
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	jobs := flag.Int("jobs", 10_000, "number of jobs, a multiple of 5")
	clients := flag.Int("clients", 8, "number of jobs to submit and await at once, 1-256")
	reduces := flag.Int("reduces", 1, "number of reduces of a job")
	binary := flag.String("howdah", "bin/howdah", "the binary to measure")
	flag.Parse()
	if *jobs < 5 || *jobs%5 != 0 || *clients < 1 || *clients > maxClients || *reduces < 0 || flag.NArg() > 0 {
		return errors.New("usage: manyjobs [-jobs N] [-clients N] [-reduces N] [-howdah BINARY]")
	}
	program, err := filepath.Abs(*binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "howdah-manyjobs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := startCluster(ctx, program, dir)
	if err != nil {
		return err
	}
	defer c.stop()
	fmt.Printf("%s/%s, %d cores, %d jobs of 1 map and %d reduces, %d at once\n", runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), *jobs, *reduces, *clients)
	l := &load{cluster: c, dir: dir, program: program, clients: *clients, reduces: *reduces}
	r, err := measure(ctx, l, *jobs)
	if err != nil {
		return err
	}
	return r.judge()
}

// measure runs the jobs and then restarts the JobTracker.
func measure(ctx context.Context, l *load, jobs int) (*report, error) {
	r := &report{}
	began := time.Now()
	for done := 0; done < jobs; {
		// Take samples while no job is running so that they include only the resources that
		// finished jobs still use.
		n := min(sampleEvery, jobs/5, jobs-done)
		if err := l.run(ctx, done, n); err != nil {
			return nil, err
		}
		done += n
		s, err := take(l.cluster, done, time.Since(began))
		if err != nil {
			return nil, err
		}
		fmt.Println(s)
		r.samples = append(r.samples, s)
	}
	if err := l.checkFirst(ctx); err != nil {
		return nil, err
	}
	var err error
	r.restart, err = l.restart(ctx)
	if err != nil {
		return nil, err
	}
	return r, l.checkFirst(ctx)
}
