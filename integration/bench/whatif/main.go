// Command whatif measures how well howdah sim what-if predicts when jobs end. It runs random mixes
// of jobs on a minicluster with two TaskTrackers, one mix after the other. In the middle of each
// mix, when all jobs have been submitted, it makes a prediction, and later compares it with the
// real ends.
//
//	make bench-what-if                                  # 30 mixes, about 80 minutes
//	go run ./integration/bench/whatif --mixes 3
//
// The tasks sleep in the TaskTrackers. Their times are lognormal. The mean error is the sum of the
// differences between predicted and real ends, divided by the sum of the times from the prediction
// to the real ends. Schedulers take turns.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/lifecycle"
)

var (
	mixes   = flag.Int("mixes", 30, "number of mixes")
	seed    = flag.Int("seed", 1, "seed of the first mix")
	program = flag.String("howdah", "bin/howdah", "the howdah program")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "bench-what-if-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := daemonrun.StartMinicluster(ctx, daemonrun.Command{Program: *program,
		Args: []string{"--tasktrackers", "2", "--dir", filepath.Join(dir, "cluster")}, Log: io.Discard})
	if err != nil {
		return err
	}
	defer c.Stop(30 * time.Second)
	if err := os.Setenv("HOWDAH_CONF_DIR", c.Conf); err != nil {
		return err
	}
	var all []result
	for i := range *mixes {
		r, err := one(ctx, dir, c.Web, *seed+i, schedulers[i%len(schedulers)])
		if err != nil {
			return err
		}
		all = append(all, r)
		fmt.Printf("mix %2d %-10s %2d jobs: mean error %5.1f%%, worst %5.1f s, bias %+6.1f%%, %2d in range, "+
			"makespan %+5.1f%%\n", *seed+i, schedulers[i%len(schedulers)],
			r.Jobs, 100*r.Mean, r.Worst, 100*r.Bias, r.Inside, 100*r.Makespan)
	}
	summarize(all)
	return nil
}

var schedulers = []string{"fifo", "fair", "minedf-wc"}

// result is the check in the output of howdah sim what-if --check --json.
type result struct {
	Jobs     int
	Mean     float64 `json:"mean_error"`
	Worst    float64 `json:"worst_error_s"`
	Bias     float64
	Inside   int
	Makespan float64 `json:"makespan_error"`
}

// one runs a mix and returns how far the prediction was off.
func one(ctx context.Context, dir, web string, seed int, scheduler string) (result, error) {
	trace := filepath.Join(dir, "mix.trace")
	if _, err := howdah(ctx, "admin", "-setScheduler", scheduler); err != nil {
		return result{}, err
	}
	const jobs, gap = 8, 2 // gap: mean time between submissions in s
	if _, err := howdah(ctx, "sim", "generate", "custom", "--jobs", fmt.Sprint(jobs), "--seed", fmt.Sprint(seed),
		"--maps", "uniform(4,24)", "--reduces", "uniform(0,4)", "--map-time", "lognormal(8.3,0.5)", "--shuffle-time",
		"constant(800)", "--reduce-time", "lognormal(7.8,0.4)", "--mean-gap", fmt.Sprint(gap), "-o", trace,
		"--replace"); err != nil {
		return result{}, err
	}
	submitted := make(chan error, 1)
	go func() {
		_, err := howdah(ctx, "sim", "submit", trace, "-D", "howdah.sleep.in-tracker=true")
		submitted <- err
	}()
	if err := lifecycle.Sleep(ctx, 3*gap*jobs*time.Second/2); err != nil {
		return result{}, err
	}
	text, err := howdah(ctx, "sim", "what-if", web, "--scheduler", scheduler, "--check", "--json")
	if err != nil {
		return result{}, err
	}
	var x struct{ Check result }
	if err := json.Unmarshal(text, &x); err != nil {
		return result{}, err
	}
	return x.Check, <-submitted
}

func howdah(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, *program, args...)
	var errOut bytes.Buffer
	c.Stderr = &errOut
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("howdah %q: %w: %s", args, err, errOut.Bytes())
	}
	return out, nil
}

// summarize prints the errors over all mixes.
func summarize(all []result) {
	var means, makespans []float64
	jobs, inside, sum, worst := 0, 0, 0.0, 0.0
	for _, r := range all {
		means, makespans = append(means, r.Mean), append(makespans, math.Abs(r.Makespan))
		jobs, inside, sum, worst = jobs+r.Jobs, inside+r.Inside, sum+r.Mean*float64(r.Jobs), max(worst, r.Worst)
	}
	slices.Sort(means)
	slices.Sort(makespans)
	fmt.Printf("%d mixes, %d jobs: mean error %.1f%%, worst job %.1f s, median mix %.1f%%, %.0f%% of the jobs in range, "+
		"makespan error %.1f%% (median) and %.1f%% (worst)\n", len(all), jobs, 100*sum/float64(max(1, jobs)), worst,
		100*means[len(means)/2], 100*float64(inside)/float64(max(1, jobs)), 100*makespans[len(makespans)/2],
		100*makespans[len(makespans)-1])
}
