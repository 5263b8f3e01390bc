package dhf

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
)

// dhf3 checks a claim in section IV-B of Dynamic Slot Allocation: with dynamic slots, it hardly
// matters how a cluster divides its slots into map and reduce slots.
var dhf3 = &lab.Experiment{
	ID: "DHF-3", Paper: Paper, BibTeX: BibTeX, Sim: dhf3Sim,
}

// splits lists divisions of a slave's twelve slots into map and reduce slots. All nine slaves use
// the same division.
var splits = [][2]int32{{2, 10}, {4, 8}, {6, 6}, {8, 4}, {10, 2}, {11, 1}}

func dhf3Jobs(slowStart float64) (out []Work) {
	for n := 1; n <= 5; n++ {
		out = append(out, Job(n, 1, slowStart))
	}
	return out
}

// makespans returns the makespans of J1 to J5 in ms, by policy and by index in splits.
func makespans(ctx context.Context, r *lab.Run, policies []lab.Policy, slowStart float64) ([][]float64, error) {
	out := make([][]float64, len(policies))
	for _, s := range splits {
		t, err := Cluster{Trackers: Trackers, Slots: s}.Repeat(ctx, r, policies, 1, dhf3Jobs(slowStart)...)
		if err != nil {
			return nil, err
		}
		for p := range t {
			out[p] = append(out[p], t[p][0])
		}
	}
	return out, nil
}

// spread returns the ratio of the largest to the smallest value.
func spread(x []float64) float64 { return slices.Max(x) / slices.Min(x) }

func dhf3Sim(ctx context.Context, r *lab.Run) error {
	r.Knob("jobs", "J1 to J5 from Table I, submitted together, each in its own pool, with equal tasks and tR = tM")
	late, err := makespans(ctx, r, Policies, 1)
	if err != nil {
		return err
	}
	dhf3Report(r, "slow-start-1", Policies, late)
	for p, name := range []string{"fair", "pi", "pd"} {
		r.Compare(name, lab.Exact(spread(late[p])), "%d divisions", len(splits))
	}

	// In these runs, reduces start early. In the first run they may borrow slots, and in the second
	// they may not.
	early, err := makespans(ctx, r, Policies, 0.05)
	if err != nil {
		return err
	}
	dhf3Report(r, "slow-start-0.05", Policies, early)
	kept, err := makespans(ctx, r, keepMapSlots, 0.05)
	if err != nil {
		return err
	}
	dhf3Report(r, "reduces-may-not-borrow", keepMapSlots, kept)
	r.Compare("pi-early", lab.Exact(spread(early[1])), "Fair Scheduler: %.2f", spread(early[0]))
	r.Compare("pd-early", lab.Exact(spread(early[2])), "Fair Scheduler: %.2f", spread(early[0]))
	r.Note("Waiting reduces occupy reduce slots, not borrowed map slots. If reduces start early and cannot borrow map "+
		"slots (percentageOfBorrowedMapSlots=0), the jobs on %d + %d slots take %s s instead of %s s under PI-DHFS.",
		Trackers*splits[0][0], Trackers*splits[0][1], Seconds(kept[0][0]), Seconds(early[1][0]))
	return nil
}

// keepMapSlots lists the dynamic policies with a setting that keeps reduces from borrowing map slots.
var keepMapSlots = []lab.Policy{
	{Name: "pi-dhfs", Set: []string{conf.DHFSPercentageOfBorrowedMapSlots.Name, "0"}},
	{Name: "pd-dhfs", Set: []string{conf.DHFSPercentageOfBorrowedMapSlots.Name, "0"}},
}

func dhf3Report(r *lab.Run, name string, policies []lab.Policy, times [][]float64) {
	plot := lab.Plot{Name: name, Title: "Makespan by division of slots, " + name, X: "map slots", Y: "makespan (s)",
		Kind: lab.Lines}
	head := []string{"makespan (s) by map + reduce slots"}
	for _, s := range splits {
		head = append(head, fmt.Sprintf("%d + %d", Trackers*s[0], Trackers*s[1]))
	}
	var rows [][]string
	for p := range policies {
		row, series := []string{policies[p].Name}, lab.Series{Name: policies[p].Name}
		for i, ms := range times[p] {
			row = append(row, Seconds(ms))
			series.X, series.Y = append(series.X, float64(Trackers*splits[i][0])), append(series.Y, ms/1000)
		}
		rows = append(rows, append(row, fmt.Sprintf("%.3f", spread(times[p]))))
		plot.Series = append(plot.Series, series)
	}
	r.AddTable(name, append(head, "longest / shortest"), rows)
	r.AddPlot(plot)
}
