//go:build integration

// Command growth measures how the cost of howdah grows with the amount of work. For each series, it
// prints the CPU time and the peak memory for each amount of work, and the exponents that fit these
// figures best. An exponent of 1 means that the cost doubles if the work doubles. Each job runs in
// a single process. It requires Linux.
//
// For a simulated policy, it prints the CPU time of the policy's cycles apart from the rest. Some
// policies look at every job in each cycle, because their papers say so.
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
	self        string // this program, for simulations
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
	simulate := flag.String("simulate", "", "policy with which to simulate a trace (for the command itself)")
	nodes := flag.Int("nodes", 0, "number of TaskTrackers of that simulation")
	flag.Parse()
	if *simulate != "" {
		return simulated{*simulate, *nodes}.run(ctx, flag.Arg(0))
	}
	selected, err := regexp.Compile(*only)
	if err != nil || *runs < 1 || flag.NArg() > 0 {
		return errors.Join(err, errors.New("growth takes only options; -h lists them"))
	}
	b := &bench{runs: *runs, limit: *limit}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
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
	fmt.Printf("\n%s\n%16s", s.name, s.unit)
	for _, c := range s.columns() {
		fmt.Printf(" %10s %9s", c, "exponent")
	}
	fmt.Println()
	var x []float64
	all := make([][]float64, len(s.columns())) // the figures by column
	for _, work := range s.work {
		figures, err := b.point(ctx, s, work)
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if err != nil {
			failed++
			fmt.Printf("%16.0f failed: %v\n", work, err)
			continue
		}
		x = append(x, work)
		last := max(0, len(x)-2)
		fmt.Printf("%16.0f", work)
		for i, f := range figures {
			all[i] = append(all[i], f)
			fmt.Printf(" %10.2f %9s", f, exponent(x[last:], all[i][last:]))
		}
		fmt.Println()
	}
	fmt.Printf("%16s", "all")
	for _, y := range all {
		fmt.Printf(" %10s %9s", "", exponent(x, y))
	}
	fmt.Println()
	return failed, nil
}

// exponent returns the fitted exponent as text, or "" if there are too few points or a figure is 0.
func exponent(x, y []float64) string {
	if len(x) < 2 || slices.Min(y) <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", measure.Exponent(x, y))
}

// point runs a series for one amount of work. It returns the median of each column.
func (b *bench) point(ctx context.Context, s *series, work float64) ([]float64, error) {
	in, out := filepath.Join(b.dir, "in"), filepath.Join(b.dir, "out")
	defer os.RemoveAll(in)
	if err := s.input(ctx, in, work); err != nil {
		return nil, err
	}
	all := make([][]float64, len(s.columns()))
	for range b.runs {
		limited, stop := context.WithTimeout(ctx, b.limit)
		figures, err := b.once(limited, s, in, out, work)
		if limited.Err() != nil {
			err = fmt.Errorf("it takes more than %v", b.limit)
		}
		stop()
		if err := errors.Join(err, os.RemoveAll(out)); err != nil {
			return nil, err
		}
		for i, f := range figures {
			all[i] = append(all[i], f)
		}
	}
	medians := make([]float64, len(all))
	for i := range all {
		medians[i] = measure.Median(all[i])
	}
	return medians, nil
}

// once runs a series once and returns the figures of its columns.
func (b *bench) once(ctx context.Context, s *series, in, out string, work float64) ([]float64, error) {
	if s.simulates == nil {
		c, _, err := measure.Run(b.command(ctx, s.args(in, out, work)...))
		return []float64{c.CPU.Seconds(), float64(c.Peak) / (1 << 20)}, err
	}
	c, text, err := measure.Run(exec.CommandContext(ctx, b.self, s.simulates(work).args(in)...))
	if err != nil {
		return nil, err
	}
	cycles, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	cpu := c.CPU.Seconds()
	return []float64{cpu, float64(c.Peak) / (1 << 20), cycles, cpu - cycles}, err
}

func (b *bench) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.howdah, args...)
	// If this process kept a simulation's long output, the measured peak memory of later commands
	// would be higher (see measure.Run).
	cmd.Env, cmd.Stdout = daemonrun.Environ(), io.Discard
	return cmd
}
