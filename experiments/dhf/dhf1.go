package dhf

import (
	"context"
	"fmt"
	"math"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf1 reproduces figure 4(a) of Dynamic Slot Allocation, which shows single jobs with and without
// dynamic slots.
var dhf1 = &lab.Experiment{
	ID: "DHF-1", Paper: Paper, BibTeX: BibTeX, Sim: dhf1Sim, Real: dhf1Real,
}

// dhf1Jobs returns J1 to J3 with a slow start of 1, which the closed form and figure 5 imply.
func dhf1Jobs(noise float64) (out []Work) {
	for n := 1; n <= 3; n++ {
		out = append(out, Measured(n, 1, noise))
	}
	return out
}

func newFigure4a() *figure4 { return newFigure4("figure4a", "job", "32-55%") }

func dhf1Sim(ctx context.Context, r *lab.Run) error {
	repeat := 40
	if r.Quick {
		repeat = 10
	}
	r.Knob("task time", measuredText)
	r.Knob("task times", fmt.Sprintf("lognormal with sigma %g in %d repetitions, and equal in one run", noise, repeat))
	r.Knob("slow start", "1, so that a reduce starts after all maps of its job, as in Figure 5")
	r.Knob("speedup", speedup)
	r.Knob("heartbeats", fmt.Sprintf("every %d ms and at the end of each task", Heartbeat))
	var rows [][]string
	worst := 0.0
	for _, w := range dhf1Jobs(0) {
		t, err := Testbed().Repeat(ctx, r, Policies, 1, w)
		if err != nil {
			return err
		}
		row, off := exact(w, t)
		rows, worst = append(rows, row), max(worst, off)
	}
	r.Compare("closed-form", lab.Exact(100*worst), "%d jobs under three policies", len(rows))
	r.AddTable("equal tasks", []string{"job", "tR/tM", "fair (s)", "closed form, fair", "pi-dhfs", "pd-dhfs",
		"closed form, dynamic", "PI gain", "paper"}, rows)
	f := newFigure4a()
	for _, w := range dhf1Jobs(noise) {
		t, err := Testbed().Repeat(ctx, r, Policies, repeat, w)
		if err != nil {
			return err
		}
		f.add(r, w.Name, w.Name, t)
	}
	f.end(r)
	return sharedDisk(ctx, r, repeat, "J2", Policies[:2], Measured(2, 1, noise))
}

// exact compares t, the times of a job whose tasks all take equally long, with the closed form. It
// returns a row of the table and the largest relative difference.
func exact(w Work, t Times) (row []string, off float64) {
	slots := Testbed().Total()
	fixed, dynamic := w.Waves(slots, false), w.Waves(slots, true)
	off = max(math.Abs(t[0][0]/fixed-1), math.Abs(t[1][0]/dynamic-1), math.Abs(t[2][0]/dynamic-1))
	return []string{w.Name, fmt.Sprintf("%.3g", float64(w.Reduce)/float64(w.MapTime)), Seconds(t[0][0]), Seconds(fixed),
		Seconds(t[1][0]), Seconds(t[2][0]), Seconds(dynamic), Percent(t[0][0] / t[1][0]), "32-55%"}, off
}

// disks lists the numbers of reduces of sort that the disk of a node serves at full speed.
var disks = []int64{2, 3, 4, 6, 12}

// sharedDisk repeats an experiment on nodes whose reduces of sort share a disk. It records the gain of
// the second policy over the first for each of disks.
func sharedDisk(ctx context.Context, r *lab.Run, repeat int, what string, policies []lab.Policy, work ...Work) error {
	var rows [][]string
	for _, n := range disks {
		t, err := Testbed().sharing(n, work...).Repeat(ctx, r, policies, repeat, work...)
		if err != nil {
			return err
		}
		rows = append(rows, []string{fmt.Sprint(n), lab.Ratio(t[0], t[1]).Scale(-100, 100).String()})
	}
	r.AddTable("shared disk, "+what, []string{"reduces of sort that a node's disk serves at full speed", "gain (%)"}, rows)
	r.Note("The gain of %s is %s%% if the reduces of sort on a node share a disk that serves %d of them at full speed, "+
		"and %s%% if it serves all %d. Slots do not add disks, but the closed form assumes that tR stays the same.",
		what, rows[1][1], disks[1], rows[len(rows)-1][1], disks[len(disks)-1])
	return nil
}
