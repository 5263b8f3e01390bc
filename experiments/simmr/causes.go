package simmr

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/profile"
)

// causes shows which durations make forecasts with SimMR's model err. It adds a table with the errors
// of forecasts that know the recorded durations of one phase of the run t.
func (f *forecaster) causes(ctx context.Context, p lab.Policy, n int, t *trace.Trace, name string) error {
	c := Mini
	c.Trackers = n
	var rows [][]string
	for _, x := range []struct {
		name string
		copy func(to, from *trace.Job)
	}{
		{"none", func(_, _ *trace.Job) {}},
		{"maps", copyMaps},
		{"first shuffles (mean of the job)", copyShuffles(true)},
		{"typical shuffles (mean of the job)", copyShuffles(false)},
		{"reduces", copyReduces},
		{"all", func(to, from *trace.Job) { to.Maps, to.Reduces = from.Maps, from.Reduces }},
	} {
		guesses := f.guesses(t, n, TaskLevel)
		for _, g := range guesses {
			for i := range g.Jobs {
				x.copy(g.Jobs[i], t.Jobs[i])
			}
		}
		a := measured(t, beats*c.Heartbeat, firstToLast)
		if err := c.predict(ctx, p, a, TaskLevel, guesses...); err != nil {
			return err
		}
		rows = append(rows, []string{x.name, fmt.Sprintf("%.2f%%", 100*a.Mean(TaskLevel)),
			fmt.Sprintf("%.2f%%", 100*a.Worst(TaskLevel))})
	}
	f.run.AddTable(name, []string{"recorded durations that the forecast knows", "average error", "worst"}, rows)
	var ratios [4][]float64 // recorded/forecast, by phase
	g := f.guesses(t, n, TaskLevel)[0]
	for i := range t.Jobs {
		guessed, recorded := profile.Of(g.Jobs[i]).List(), profile.Of(t.Jobs[i]).List()
		for k := range ratios {
			if len(guessed[k]) > 0 && len(recorded[k]) > 0 {
				ratios[k] = append(ratios[k], stat.Mean(recorded[k], nil)/stat.Mean(guessed[k], nil))
			}
		}
	}
	text := ""
	for k, list := range ratios {
		if len(list) > 0 {
			text += fmt.Sprintf(", %s %.2f (%d jobs)", profile.Names[k], stat.Mean(list, nil), len(list))
		}
	}
	f.run.Note("%s with %d TaskTrackers: recorded durations divided by those of SimMR's model, mean over jobs%s.", p.Name,
		n, text)
	return nil
}

func copyMaps(to, from *trace.Job) {
	for i := range to.Maps {
		to.Maps[i].Time = from.Maps[i].Time
	}
}

func copyReduces(to, from *trace.Job) {
	for i := range to.Reduces {
		to.Reduces[i].Time = from.Reduces[i].Time
	}
}

// copyShuffles returns a function that sets first or typical shuffles to the mean of the recorded
// ones. If the recorded job has none, the function changes nothing.
func copyShuffles(first bool) func(to, from *trace.Job) {
	return func(to, from *trace.Job) {
		known := profile.Of(from).Typical
		if first {
			known = profile.Of(from).First
		}
		for i := range to.Reduces {
			if len(known) > 0 && to.Reduces[i].First == first {
				to.Reduces[i].Shuffle = int64(stat.Mean(known, nil) + 0.5)
			}
		}
	}
}
