package dhf

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf1Real runs a ninth of each of J1 to J3 alone, with the real programs.
func dhf1Real(ctx context.Context, r *lab.Run) error {
	const repeat = 5
	works := ninths(3)
	small.knobs(r)
	r.Knob("jobs", ninthText)
	r.Knob("closed form", "with the mean times of the run's own maps and reduces")
	r.Knob("speedup", speedup)
	r.Knob("repetitions", repeat)
	dir, err := small.write(r, works...)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f := newFigure4a()
	var rows [][]string
	var forms []lab.Interval
	unborrowed, borrows := 0, math.MaxInt
	for _, w := range works {
		runs, err := small.repeat(ctx, r, dir, Policies, repeat, w)
		if err != nil {
			return err
		}
		t := timesOf(runs)
		f.add(r, w.Name, w.Name, t)
		row := []string{w.Name, w.Benchmark}
		for p := range runs {
			var form, ratio []float64
			for _, jobs := range runs[p] {
				mean := taskTimes(jobs[0])
				form = append(form, w.waves(small.total(), p > 0, mean))
				ratio = append(ratio, mean[1]/mean[0])
				if n := borrowed(jobs[0]); p > 0 {
					borrows = min(borrows, n)
				} else {
					unborrowed = max(unborrowed, n)
				}
			}
			forms = append(forms, lab.Ratio(t[p], form))
			row = append(row, lab.IntervalOf(ratio).Fine(), forms[len(forms)-1].Fine())
		}
		rows = append(rows, row)
	}
	head := []string{"job", "program"}
	for _, p := range Policies {
		head = append(head, "tR/tM, "+p.Name, "time / closed form, "+p.Name)
	}
	r.AddTable("closed form", head, rows)
	r.Compare("closed-form", lab.Farthest(1, forms...), "the farthest of %d jobs under three policies", len(works))
	f.end(r)
	r.Compare("borrows-not", r.Value(float64(unborrowed)), "the most of %d jobs in %d runs", len(works), repeat)
	r.Compare("borrows", r.Value(float64(borrows)), "the fewest of %d jobs in %d runs under both policies", len(works),
		repeat)
	return nil
}

// ninths returns a ninth of each of J1 to Jn, with slow start 1.
func ninths(n int) (out []Work) {
	for i := 1; i <= n; i++ {
		out = append(out, ninth(Job(i, 0, 1)))
	}
	return out
}

var ninthText = fmt.Sprintf("1/%d of the maps and of the reduces of each job, rounded up, on as many slots as one of "+
	"%d slaves has, so that there are as many waves as in the paper; slow start 1", Trackers, Trackers)
