package dhf

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf0 determines tR/tM, the time of a reduce divided by that of a map, which the paper does not state.
// In the simulator, it searches for the ratios that agree with figure 4(a). Real runs measure them.
var dhf0 = &lab.Experiment{
	ID: "DHF-0", Paper: Paper, BibTeX: BibTeX, Sim: dhf0Sim, Real: dhf0Real,
}

// paperGains is the range of gains that the paper states for a single job, in percent.
var paperGains = [2]float64{32, 55}

func dhf0Sim(ctx context.Context, r *lab.Run) error {
	repeat := 20
	if r.Quick {
		repeat = 5
	}
	ratios := []float64{0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5}
	r.Knob("tR/tM", fmt.Sprint(ratios))
	r.Knob("task times", fmt.Sprintf("%d s for a map, lognormal with sigma %g, in %d repetitions", TaskTime/1000, noise,
		repeat))
	r.Knob("speedup", speedup)
	plot := lab.Plot{Name: "ratios", Title: "Gain of PI-DHFS over the Fair Scheduler", X: "tR/tM", Y: "T0/T1",
		Kind: lab.Lines, Series: []lab.Series{{Name: "J1"}, {Name: "J2"}, {Name: "J3"}}}
	var rows [][]string
	common := 0
	for _, ratio := range ratios {
		row, inside := []string{fmt.Sprint(ratio)}, 0
		for i := range plot.Series {
			w := Job(i+1, ratio, 1)
			w.Noise = noise
			t, err := Testbed().Repeat(ctx, r, Policies[:2], repeat, w)
			if err != nil {
				return err
			}
			x, s := lab.Ratio(t[0], t[1]), &plot.Series[i]
			s.X, s.Y = append(s.X, ratio), append(s.Y, x.Mean)
			s.Low, s.High = append(s.Low, x.Low()), append(s.High, x.High())
			row = append(row, x.Significant())
			if gain := 100 * (x.Mean - 1); gain >= paperGains[0] && gain <= paperGains[1] {
				inside++
				row[i+1] += " *"
			}
		}
		if rows = append(rows, row); inside == len(plot.Series) {
			common++
		}
	}
	r.AddTable("ratios (* = in the paper's range)", []string{"tR/tM", "J1: T0/T1", "J2: T0/T1", "J3: T0/T1"}, rows)
	r.AddPlot(plot)
	r.Compare("common", lab.Exact(float64(common)), "of %d ratios", len(ratios))
	return nil
}

// single is the bed that measures task times. It runs two tasks at a time on blocks of the paper's size.
var single = bed{trackers: 2, slots: [2]int32{1, 1}, block: 64 << 20, files: 16}

// sampleJobs returns parts of J1 to J3 that have nearly the jobs' ratio of maps to reduces, so that
// reduces get as much input as in the whole jobs.
func sampleJobs() (out []Work) {
	for i, tasks := range [][2]int{{16, 3}, {8, 5}, {16, 4}} {
		w := Job(i+1, 0, 1)
		w.Maps, w.Reduces = tasks[0], tasks[1]
		out = append(out, w)
	}
	return out
}

// dhf0Real measures the times of maps and reduces.
func dhf0Real(ctx context.Context, r *lab.Run) error {
	const repeat = 5
	works := sampleJobs()
	single.knobs(r)
	r.Knob("jobs", "J1 with 16 maps and 3 reduces, J2 with 8 and 5, and J3 with 16 and 4, so that a reduce gets as much "+
		"input as in the paper")
	r.Knob("tM and tR", "mean times of a job's attempts from start to end; a reduce consists of shuffle, sort, and "+
		"reduce (section II-A) and starts after all maps")
	r.Knob("page cache", "cleared of the input before each job, so that maps read from the disk")
	r.Knob("repetitions", repeat)
	dir, err := single.write(r, works...)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var rows [][]string
	widest := 0.0
	for _, w := range works {
		var tM, tR []float64
		for range repeat {
			if err := evict(ctx, dir); err != nil {
				return err
			}
			jobs, err := single.run(ctx, r, dir, Policies[0], w)
			if err != nil {
				return err
			}
			t := taskTimes(jobs[0])
			tM, tR = append(tM, t[0]), append(tR, t[1])
		}
		x := lab.Ratio(tR, tM)
		widest = max(widest, 100*x.Half/x.Mean)
		r.Compare("paper-"+w.Name, x, "%s: tM %s ms, tR %s ms", w.Benchmark, lab.IntervalOf(tM), lab.IntervalOf(tR))
		rows = append(rows, []string{w.Name, w.Benchmark, lab.IntervalOf(tM).String(), lab.IntervalOf(tR).String(),
			x.Significant()})
	}
	r.AddTable("task times", []string{"job", "program", "tM (ms)", "tR (ms)", "tR/tM"}, rows)
	r.Compare("precise", lab.Once(math.Ceil(widest*10)/10), "half the width of the widest interval divided by its mean")
	return nil
}

// evict writes the files of random words in dir to the disk and removes them from the page cache.
func evict(ctx context.Context, dir string) error {
	files, _ := filepath.Glob(filepath.Join(dir, "text-*")) // a valid pattern
	for _, f := range files {
		if out, err := exec.CommandContext(ctx, "dd", "of="+f, "oflag=nocache", "conv=notrunc,fdatasync", "count=0").
			CombinedOutput(); err != nil {
			return fmt.Errorf("cannot evict %s from the page cache: %w: %s", f, err, out)
		}
	}
	return nil
}
