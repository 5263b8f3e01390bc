//go:build integration

// Command compare measures howdah at two revisions and reports regressions. It builds both revisions
// in temporary worktrees. It runs each work in pairs of runs, one run with each revision. For
// elapsed time and CPU time, it prints the medians, and the median of the pairs' ratios with a 95%
// interval. A regression is a ratio above 1.1 whose interval is above 1. If a work seems to have
// one, the command measures the work again and prints the second figures. If they also show a
// regression, it marks them and finally exits with 1. It requires Linux.
//
//	make bench-compare OLD=HEAD~10
//	make bench-compare OLD=v1 NEW=HEAD BYTES=1000000000 PAIRS=15 WORKS=terasort,minicluster-terasort
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/measure"
	"github.com/howdah/howdah/integration/bench/program"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	before := flag.String("old", "", "revision to compare with")
	after := flag.String("new", "HEAD", "revision to measure")
	size := flag.Int64("bytes", 200_000_000, "size of each input")
	pairs := flag.Int("pairs", 9, "number of pairs of runs, at least 6")
	names := flag.String("works", strings.Join(workNames(), ","), "works to measure")
	flag.Parse()
	if *before == "" || *size < 100 || *pairs < measure.MinPairs || flag.NArg() > 0 {
		return errors.New("usage: compare -old REVISION [-new REVISION] [-bytes N] [-pairs N] [-works LIST]")
	}
	var chosen []work
	for _, name := range strings.Split(*names, ",") {
		i := slices.IndexFunc(works, func(w work) bool { return w.name == name })
		if i < 0 {
			return fmt.Errorf("unknown work %q; the works are %s", name, strings.Join(workNames(), ", "))
		}
		chosen = append(chosen, works[i])
	}
	dir, err := os.MkdirTemp("", "howdah-bench-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var sides [2]*side
	for i, revision := range []string{*before, *after} {
		sides[i] = &side{revision: revision, dir: filepath.Join(dir, []string{"old", "new"}[i])}
		if err := sides[i].start(ctx, slices.ContainsFunc(chosen, func(w work) bool { return w.cluster })); err != nil {
			return err
		}
		defer sides[i].stop()
	}
	in := inputs{text: filepath.Join(dir, "text"), rows: filepath.Join(dir, "rows"), small: filepath.Join(dir, "small"),
		trace: filepath.Join(dir, "trace.gz")}
	if err := in.generate(ctx, *size, sides[0]); err != nil {
		return err
	}
	fmt.Printf("%d bytes of input, %d pairs, old %s, new %s\n\n", *size, *pairs, sides[0].commit, sides[1].commit)
	return compare(ctx, chosen, sides, &in, *pairs)
}

func compare(ctx context.Context, chosen []work, sides [2]*side, in *inputs, pairs int) error {
	const row = "%-22s %-5s %10s %10s %7s   %-15s%s\n"
	fmt.Printf(row, "work", "time", "old (s)", "new (s)", "ratio", "95% interval", "")
	var regressed []string
	for _, w := range chosen {
		all, err := w.pairs(ctx, sides, in, pairs)
		if err != nil {
			return err
		}
		// With two intervals per work, a few are above 1 by chance. This is unlikely to happen
		// twice in a row.
		suspected := [2]bool{all[0].ratio().Regressed(), all[1].ratio().Regressed()}
		if suspected != [2]bool{} {
			if all, err = w.pairs(ctx, sides, in, pairs); err != nil {
				return err
			}
		}
		for i, kind := range []string{"wall", "CPU"} {
			r, mark := all[i].ratio(), ""
			if suspected[i] && r.Regressed() {
				mark = "  REGRESSION"
				regressed = append(regressed, w.name+" ("+kind+")")
			}
			fmt.Printf(row, w.name, kind, seconds(measure.Median(all[i][0])), seconds(measure.Median(all[i][1])),
				fmt.Sprintf("%.3f", r.Median), fmt.Sprintf("%.3f to %.3f", r.Low, r.High), mark)
		}
	}
	if len(regressed) > 0 {
		return fmt.Errorf("more than 10%% slower: %s", strings.Join(regressed, ", "))
	}
	return nil
}

// times contains the times of all pairs, in seconds, first for the old revision and then for the
// new one.
type times [2][]float64

func (t *times) ratio() measure.Ratio { return measure.Compare(t[0], t[1]) }

// pairs runs n pairs of the work. It returns the elapsed times and then the CPU times.
func (w *work) pairs(ctx context.Context, sides [2]*side, in *inputs, n int) ([2]times, error) {
	var all [2]times
	for pair := range n {
		for turn := range 2 {
			i := (pair + turn) % 2 // running first may be an advantage or not, so the sides take turns
			c, err := w.measure(ctx, sides[i], in)
			if err != nil {
				return all, fmt.Errorf("%s at %s: %w", w.name, sides[i].revision, err)
			}
			all[0][i], all[1][i] = append(all[0][i], c.Wall.Seconds()), append(all[1][i], c.CPU.Seconds())
		}
	}
	return all, nil
}

func seconds(s float64) string { return fmt.Sprintf("%.4f", s) }

// generate creates the inputs. The old revision generates the trace, because new revisions must read
// old traces.
func (in *inputs) generate(ctx context.Context, size int64, old *side) error {
	if err := errors.Join(corpus.File(in.text, size, corpus.Zipf), corpus.File(in.rows, size, corpus.Rows),
		corpus.File(in.small, smallSize, corpus.Zipf)); err != nil {
		return err
	}
	_, _, err := measure.Run(exec.CommandContext(ctx, old.howdah(), "sim", "generate", "--jobs", traceJobs, "--mean-gap",
		"0.001", "--maps", "uniform(1,20)", "--map-time", "uniform(5000,60000)", "--out", in.trace, "custom"))
	return err
}
