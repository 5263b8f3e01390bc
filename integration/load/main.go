// Command load puts the load of a large cluster on one JobTracker and reports what the JobTracker
// uses. It registers simulated TaskTrackers, which are the real state machine with real heartbeats
// but without processes. All their map slots stay busy. In the meantime, jobs of 100,000 tasks are
// submitted and killed, a job with thousands of output files commits, clients poll the status of
// jobs, and browsers fetch pages. The report counts the CPU time of the generator separately. The
// generator has a lower priority than the JobTracker, because in a real cluster it would run on other
// machines. It requires Linux.
//
// With -small or -maps, it instead runs small jobs or empty maps on real TaskTrackers and reports
// their rate and CPU time.
//
//	make bench-load
//	go run ./integration/load -trackers 2000
//	go run ./integration/load -small 1000
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/howdah/howdah/integration/bench/program"
)

// options are the command's flags.
type options struct {
	howdah                        string
	trackers, slots               int
	beat, task, seconds           time.Duration
	clients, browsers, big, parts int
	nice, small, maps             int
}

func main() { program.Main(run) }

func run(ctx context.Context) error {
	var o options
	flag.StringVar(&o.howdah, "howdah", "bin/howdah", "the binary to measure")
	flag.IntVar(&o.trackers, "trackers", 10_000, "number of simulated TaskTrackers")
	flag.IntVar(&o.slots, "slots", 4, "map slots of each simulated TaskTracker")
	flag.DurationVar(&o.beat, "beat", 3*time.Second, "interval of the heartbeats")
	flag.DurationVar(&o.task, "task", 30*time.Second, "mean duration of a map")
	flag.DurationVar(&o.seconds, "for", time.Minute, "how long to measure")
	flag.IntVar(&o.clients, "clients", 200, "number of clients that ask for a job's status once a second")
	flag.IntVar(&o.browsers, "browsers", 10, "number of browsers that fetch a page once a second")
	flag.IntVar(&o.big, "big", 100_000, "number of maps of the jobs that are submitted and killed; 0 = no such jobs")
	flag.IntVar(&o.parts, "parts", 10_000,
		"number of output files of the job that commits, at most one per slot; 0 = no such job")
	flag.IntVar(&o.nice, "nice", 10, "niceness of this program while it measures; 0 = the same priority as the JobTracker")
	flag.IntVar(&o.small, "small", 0, "instead, run this number of jobs of one map and one reduce with 8 clients")
	flag.IntVar(&o.maps, "maps", 0, "instead, run a job of this number of empty maps on one TaskTracker")
	flag.Parse()
	if flag.NArg() > 0 || min(o.trackers, o.slots) < 1 || min(o.beat, o.task, o.seconds) <= 0 {
		return errors.New("usage: load [options]; load -h lists the options")
	}
	var err error
	if o.howdah, err = filepath.Abs(o.howdah); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "howdah-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	report, err := o.measure(ctx, dir)
	if err != nil {
		return err
	}
	out, err := json.MarshalIndent(report, "", "  ")
	fmt.Println(string(out))
	return err
}

func (o options) measure(ctx context.Context, dir string) (any, error) {
	switch {
	case o.small > 0:
		return smallJobs(ctx, o, dir)
	case o.maps > 0:
		return emptyMaps(ctx, o, dir)
	}
	return manyTrackers(ctx, o, dir)
}

// machine describes the machine for a report.
func machine() string {
	load, _ := os.ReadFile("/proc/loadavg")
	return fmt.Sprintf("%s/%s, %d cores, load average %.14s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load)
}
