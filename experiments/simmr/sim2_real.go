package simmr

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace/profile"
)

const (
	records  = 160_000 // articles, about 90 MB
	split    = 4 << 20 // maximum bytes of input per map
	reduces  = 24
	trackers = 2 // each with one slot of each kind
	bins     = 5 // about the square root of the number of tasks
)

// apps lists applications that have only their input in common. wordcount combines most of its data,
// bayes counts pairs, and sort moves all of its data.
var apps = []string{"wordcount", "sort", "bayes"}

// sim2Real runs three applications five times each on a minicluster, one job after another, and
// profiles the jobs from the cluster's journal. At this scale, a reduce takes tens of milliseconds,
// which is not much more than the random variation on the machine. Therefore, sim2Real also runs
// jobs with longer tasks that sleep.
func sim2Real(ctx context.Context, r *lab.Run) error {
	dir, err := os.MkdirTemp("", "howdah-sim2-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: trackers, Slots: [2]int32{1, 1}})
	if err != nil {
		return err
	}
	defer c.Stop()
	if err := runApps(ctx, c, dir); err != nil {
		return err
	}
	if err := runSleepers(ctx, c, r.Seed); err != nil {
		return err
	}
	journal, err := c.Journal(ctx)
	if err != nil {
		return err
	}
	t, err := FromJournal("sim2", journal)
	if err != nil {
		return err
	}
	var working, sleeping []sim2Run
	for _, j := range t.Jobs {
		x := sim2Run{j.Name, profile.Of(j)}
		switch {
		case strings.HasPrefix(j.Name, "sleep"):
			sleeping = append(sleeping, x)
		case len(j.Reduces) == reduces:
			working = append(working, x)
		}
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with 1 + 1 slots on one machine", trackers))
	r.Knob("input", fmt.Sprintf("%d articles from datagen in splits of %d bytes, with %d reduces", records, split,
		reduces))
	sim2Compare(r, "", sim2Report(r, "table1-real", working, profile.Divergence{Bins: bins}))
	sim2Compare(r, "-sleep", sim2Report(r, "long-tasks", sleeping, profile.Divergence{Bins: bins}))
	return nil
}

func runApps(ctx context.Context, c *lab.Cluster, dir string) error {
	articles := filepath.Join(dir, "articles")
	if _, err := c.Howdah(ctx, "run", "-q", "datagen", "-records", fmt.Sprint(records), "-m", "4", "articles",
		articles); err != nil {
		return err
	}
	for n := range repeats {
		for _, app := range apps {
			out := filepath.Join(dir, fmt.Sprint(app, n))
			if _, err := c.Howdah(ctx, "run", "-q", app, "-D", "mapreduce.job.name="+app,
				"-D", fmt.Sprint("mapreduce.job.reduces=", reduces),
				"-D", fmt.Sprint("mapreduce.input.fileinputformat.split.maxsize=", split), articles, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSleepers runs three applications whose tasks only sleep, for about 0.4, 0.8, and 1.2 seconds.
// Each run uses different random numbers.
func runSleepers(ctx context.Context, c *lab.Cluster, seed uint64) error {
	const maps, spread = 24, 0.1
	for n := range uint64(repeats) {
		for app := range uint64(3) {
			mean := 400 * float64(app+1)
			luck := seed*100 + n*10 + app
			if _, err := c.Howdah(ctx, "run", "-q", "sleep", "-D", fmt.Sprint("mapreduce.job.name=sleep-", app),
				"-D", Times(luck, "map", maps, mean, spread), "-D", Times(luck, "reduce", reduces, mean, spread),
				"-m", fmt.Sprint(maps), "-r", fmt.Sprint(reduces)); err != nil {
				return err
			}
		}
	}
	return nil
}
