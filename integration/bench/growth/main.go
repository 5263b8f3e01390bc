//go:build integration

// Command growth measures how the cost of howdah grows with the amount of work. For each series, it
// prints the CPU time and the peak memory for each amount of work, and the exponents that fit these
// figures best. An exponent of 1 means that the cost doubles if the work doubles. Each job runs in
// a single process. It requires Linux.
//
//	make bench-growth
//	make bench-growth SIZES=0.1,1,4,10 SERIES='TeraSort|reduces' POLICIES=all RUNS=3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/integration/bench/measure"
	"github.com/howdah/howdah/integration/bench/program"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/scheduler/catalog"
)

func main() { program.Main(run) }

// bench contains the options that apply to all series.
type bench struct {
	howdah, dir string
	runs        int
	limit       time.Duration
}

func run(ctx context.Context) error {
	sizes := flag.String("sizes", "0.1,1,4", "sizes of inputs in GB")
	maps := flag.String("maps", "1,10,100,1000,10000", "numbers of maps")
	reduces := flag.String("reduces", "1,10,100,500", "numbers of reduces")
	records := flag.String("records", "10,100,1000,1e4,1e5,1e6,1e7,1e8,2e8",
		"lengths of records in bytes; each input has as many bytes as the longest")
	jobs := flag.String("jobs", "1000,5000,20000", "numbers of queued jobs")
	trackers := flag.String("trackers", "100,1000,10000", "numbers of TaskTrackers")
	policies := flag.String("policies", "fifo,fair,capacity,drf", "policies of the series with queued jobs, or all")
	only := flag.String("series", "", "regular expression that selects series by name")
	runs := flag.Int("runs", 1, "number of runs of each work; the median counts")
	limit := flag.Duration("limit", 10*time.Minute, "longest run of a work; a longer run is a failure")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	dir := flag.String("dir", "", "directory for temporary files; by default the system's")
	flag.Parse()
	selected, err := regexp.Compile(*only)
	if err != nil || *runs < 1 || flag.NArg() > 0 {
		return errors.Join(err, errors.New("growth takes only options; -h lists them"))
	}
	b := &bench{runs: *runs, limit: *limit}
	if b.howdah, err = filepath.Abs(*howdah); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp(*dir, "howdah-bench-growth-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	names := strings.Split(*policies, ",")
	if *policies == "all" {
		names = catalog.Builtin().Names()
	}
	var all []series
	for _, group := range []struct {
		list string
		unit float64
		make func(*bench, []float64) []series
	}{{*sizes, 1e9, bySize}, {*maps, 1, byMaps}, {*reduces, 1, byReduces}, {*records, 1, byRecord},
		{*jobs, 1, func(b *bench, work []float64) []series { return byJobs(b, work, names) }}, {*trackers, 1, byTrackers}} {
		work, err := numbers(group.list, group.unit)
		if err != nil {
			return err
		}
		all = append(all, group.make(b, work)...)
	}
	all = slices.DeleteFunc(all, func(s series) bool { return !selected.MatchString(s.name) })
	if len(all) == 0 {
		return fmt.Errorf("no series matches %q", *only)
	}
	failed := 0
	for _, s := range all {
		n, err := b.measure(ctx, &s)
		if err != nil {
			return err
		}
		failed += n
	}
	if failed > 0 {
		return fmt.Errorf("%d works failed", failed)
	}
	return nil
}

func numbers(list string, unit float64) ([]float64, error) {
	var out []float64
	for _, s := range strings.Split(list, ",") {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%q is not a list of positive numbers", list)
		}
		out = append(out, x*unit)
	}
	return out, nil
}

// measure runs a series for all amounts of work and prints the figures. It returns the number of
// amounts for which the series failed.
func (b *bench) measure(ctx context.Context, s *series) (failed int, err error) {
	fmt.Printf("\n%s\n%16s %10s %9s %11s %9s\n", s.name, s.unit, "CPU (s)", "exponent", "peak (MiB)", "exponent")
	var x, cpu, peak []float64
	for _, work := range s.work {
		c, p, err := b.point(ctx, s, work)
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if err != nil {
			failed++
			fmt.Printf("%16.0f failed: %v\n", work, err)
			continue
		}
		x, cpu, peak = append(x, work), append(cpu, c), append(peak, p)
		last := max(0, len(x)-2)
		fmt.Printf("%16.0f %10.2f %9s %11.1f %9s\n", work, c, exponent(x[last:], cpu[last:]), p,
			exponent(x[last:], peak[last:]))
	}
	fmt.Printf("%16s %10s %9s %11s %9s\n", "all", "", exponent(x, cpu), "", exponent(x, peak))
	return failed, nil
}

// exponent returns the fitted exponent as text, or "" if there are too few points.
func exponent(x, y []float64) string {
	if len(x) < 2 {
		return ""
	}
	return fmt.Sprintf("%.2f", measure.Exponent(x, y))
}

// point runs a series for one amount of work. It returns the median CPU time in seconds and the
// median peak memory in MiB.
func (b *bench) point(ctx context.Context, s *series, work float64) (cpu, peak float64, err error) {
	in, out := filepath.Join(b.dir, "in"), filepath.Join(b.dir, "out")
	defer os.RemoveAll(in)
	if err := s.input(ctx, in, work); err != nil {
		return 0, 0, err
	}
	var all, peaks []float64
	for range b.runs {
		limited, stop := context.WithTimeout(ctx, b.limit)
		c, _, err := measure.Run(b.command(limited, s.args(in, out, work)...))
		if limited.Err() != nil {
			err = fmt.Errorf("it takes more than %v", b.limit)
		}
		stop()
		if err := errors.Join(err, os.RemoveAll(out)); err != nil {
			return 0, 0, err
		}
		all, peaks = append(all, c.CPU.Seconds()), append(peaks, float64(c.Peak)/(1<<20))
	}
	return measure.Median(all), measure.Median(peaks), nil
}

func (b *bench) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.howdah, args...)
	// If this process kept a simulation's long output, the measured peak memory of later commands
	// would be higher (see measure.Run).
	cmd.Env, cmd.Stdout = daemonrun.Environ(), io.Discard
	return cmd
}
