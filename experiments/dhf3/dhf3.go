// Package dhf3 checks a claim of section IV-B of Dynamic Slot Allocation: with dynamic slots it hardly matters how a cluster's
// slots are divided into map and reduce slots.
package dhf3

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/scheduler/dhfs"
)

// Experiment is DHF-3.
var Experiment = &lab.Experiment{
	ID: "DHF-3", Paper: dhf.Paper, Item: "Section IV-B", BibTeX: dhf.BibTeX,
	Claim:    "the division of slots has a big influence on the Fair Scheduler, and little with dynamic slots",
	Relation: "with slow start 1, makespans over divisions from 18 + 90 to 99 + 9 slots spread by at most 3% with dynamic slots and by a factor of 2 or more without",
	Sim:      sim,
}

// splits are map and reduce slots of each of the nine slaves, which have twelve in all.
var splits = [][2]int32{{2, 10}, {4, 8}, {6, 6}, {8, 4}, {10, 2}, {11, 1}}

// jobs are J1 to J5.
func jobs(slowStart float64) (out []dhf.Work) {
	for n := 1; n <= 5; n++ {
		out = append(out, dhf.Job(n, 1, slowStart))
	}
	return out
}

// makespans gives those of each policy in ms, by division.
func makespans(ctx context.Context, r *lab.Run, policies []simmr.Policy, slowStart float64) ([][]float64, error) {
	out := make([][]float64, len(policies))
	for _, s := range splits {
		t, err := dhf.Cluster{Trackers: dhf.Trackers, Slots: s}.Repeat(ctx, r, policies, 1, jobs(slowStart)...)
		if err != nil {
			return nil, err
		}
		for p := range t {
			out[p] = append(out[p], t[p][0])
		}
	}
	return out, nil
}

// spread is the largest by the smallest.
func spread(x []float64) float64 { return slices.Max(x) / slices.Min(x) }

func sim(ctx context.Context, r *lab.Run) error {
	r.Knob("jobs", "J1 to J5 of Table I at once, each in a pool of its own; equal tasks, tR = tM")
	late, err := makespans(ctx, r, dhf.Policies, 1)
	if err != nil {
		return err
	}
	report(r, "slow-start-1", dhf.Policies, late)
	r.Check("slow start 1: the Fair Scheduler spreads by 2 or more", spread(late[0]) >= 2, "%.2f", spread(late[0]))
	r.Check("slow start 1: PI-DHFS spreads by at most 3%", spread(late[1]) <= 1.03, "%.3f", spread(late[1]))
	r.Check("slow start 1: PD-DHFS spreads by at most 3%", spread(late[2]) <= 1.03, "%.3f", spread(late[2]))

	// The isolating runs: reduces that start early, and the same where they may not borrow.
	early, err := makespans(ctx, r, dhf.Policies, 0.05)
	if err != nil {
		return err
	}
	report(r, "slow-start-0.05", dhf.Policies, early)
	kept, err := makespans(ctx, r, keepMapSlots, 0.05)
	if err != nil {
		return err
	}
	report(r, "reduces-may-not-borrow", keepMapSlots, kept)
	r.NotReproduced("with Hadoop's slow start of 0.05: makespans spread by %.2f under PI-DHFS and by %.2f under PD-DHFS (Fair %.2f). Reduces start when 5%% of the maps are done "+
		"and hold slots while they wait for those maps, so that maps find no reduce slots to borrow and are left with the map slots. With slow start 1 (nothing else changed) the spread is "+
		"%.3f and %.3f. It is the reduce slots that are hoarded, not borrowed ones: where reduces may not borrow (percentageOfBorrowedMapSlots=0) %d + %d slots take %s s instead of %s s under PI-DHFS.",
		spread(early[1]), spread(early[2]), spread(early[0]), spread(late[1]), spread(late[2]), dhf.Trackers*splits[0][0], dhf.Trackers*splits[0][1],
		dhf.Seconds(kept[0][0]), dhf.Seconds(early[1][0]))
	return nil
}

// keepMapSlots are the dynamic policies when reduces may not borrow.
var keepMapSlots = []simmr.Policy{
	{Name: "pi-dhfs", Set: []string{dhfs.KeyBorrowedMapSlots, "0"}}, {Name: "pd-dhfs", Set: []string{dhfs.KeyBorrowedMapSlots, "0"}},
}

func report(r *lab.Run, name string, policies []simmr.Policy, times [][]float64) {
	plot := lab.Plot{Name: name, Title: "Makespan by division of slots, " + name, X: "map slots", Y: "makespan (s)", Kind: lab.Lines}
	head := []string{"scheduler"}
	for _, s := range splits {
		head = append(head, fmt.Sprintf("%d + %d", dhf.Trackers*s[0], dhf.Trackers*s[1]))
	}
	var rows [][]string
	for p := range policies {
		row, series := []string{policies[p].Name}, lab.Series{Name: policies[p].Name}
		for i, ms := range times[p] {
			row = append(row, dhf.Seconds(ms))
			series.X, series.Y = append(series.X, float64(dhf.Trackers*splits[i][0])), append(series.Y, ms/1000)
		}
		rows = append(rows, append(row, fmt.Sprintf("%.3f", spread(times[p]))))
		plot.Series = append(plot.Series, series)
	}
	r.AddTable(name, append(head, "spread"), rows)
	r.AddPlot(plot)
}
