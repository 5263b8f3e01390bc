package sim2

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/simulator/trace/profile"
)

const (
	records  = 160_000 // articles, about 90 MB
	split    = 4 << 20 // bytes of a map's input
	reduces  = 24
	trackers = 2 // with one slot of each kind
	bins     = 5 // the square root of the number of tasks
)

// apps have nothing but the input in common: counting words combines well, bayes counts pairs, sort moves all of the data.
var apps = []string{"wordcount", "sort", "bayes"}

// real runs three applications five times each on a minicluster, one job after the other, and profiles them from the cluster's
// own journal. On so small a scale a reduce takes some ten milliseconds, about as much as the machine's own jitter; what then
// does not come out is tried again with tasks that take longer.
func real(ctx context.Context, r *lab.Run) error {
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
	t, err := simmr.FromJournal("sim2", journal)
	if err != nil {
		return err
	}
	var working, sleeping []run
	for _, j := range t.Jobs {
		x := run{j.Name, profile.Of(j)}
		switch {
		case strings.HasPrefix(j.Name, "sleep"):
			sleeping = append(sleeping, x)
		case len(j.Reduces) == reduces:
			working = append(working, x)
		}
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with 1 + 1 slots on one machine", trackers))
	r.Knob("input", fmt.Sprintf("%d articles of datagen, splits of %d bytes, %d reduces", records, split, reduces))
	judge(r, report(r, "table1-real", working, profile.Divergence{Bins: bins}), report(r, "long-tasks", sleeping, profile.Divergence{Bins: bins}))
	return nil
}

// judge checks what came out, and tells of the rest what the run with long tasks shows.
func judge(r *lab.Run, working, long averages) {
	out := [3]bool{working.alike(0), working.noisy(), working.alike(2)}
	check(r, working, out)
	check(r, long, [3]bool{true, false, true})
	for _, k := range []int{0, 2} {
		if !out[k] {
			r.NotReproduced("%s: KL(same application) < 1/5 of KL(different applications) for real tasks of some ten milliseconds: %.3f against %.3f. It is the jitter of the machine: "+
				"with tasks of a second it is %.3f against %.3f.", phaseNames[k], working.same[k], working.different[k], long.same[k], long.different[k])
		}
	}
	if !out[1] {
		r.NotReproduced("Shuffles of one application diverge more than maps: %.3f against %.3f. One machine has no network that would make shuffles noisy; among tasks of a second they come to %.3f against %.3f.",
			working.same[1], working.same[0], long.same[1], long.same[0])
	}
}

func runApps(ctx context.Context, c *lab.Cluster, dir string) error {
	articles := filepath.Join(dir, "articles")
	if _, err := c.Howdah(ctx, "run", "-q", "datagen", "-records", fmt.Sprint(records), "-m", "4", "articles", articles); err != nil {
		return err
	}
	for n := range repeats {
		for _, app := range apps {
			out := filepath.Join(dir, fmt.Sprint(app, n))
			if _, err := c.Howdah(ctx, "run", "-q", app, "-D", "mapreduce.job.name="+app, "-D", fmt.Sprint("mapreduce.job.reduces=", reduces),
				"-D", fmt.Sprint("mapreduce.input.fileinputformat.split.maxsize=", split), articles, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSleepers runs three applications whose tasks sleep for about 0.4, 0.8 and 1.2 seconds, with other luck each time.
func runSleepers(ctx context.Context, c *lab.Cluster, seed uint64) error {
	const maps, spread = 24, 0.1
	for n := range uint64(repeats) {
		for app := range uint64(3) {
			mean := 400 * float64(app+1)
			luck := seed*100 + n*10 + app
			if _, err := c.Howdah(ctx, "run", "-q", "sleep", "-D", fmt.Sprint("mapreduce.job.name=sleep-", app),
				"-D", simmr.Times(luck, "map", maps, mean, spread), "-D", simmr.Times(luck, "reduce", reduces, mean, spread),
				"-m", fmt.Sprint(maps), "-r", fmt.Sprint(reduces)); err != nil {
				return err
			}
		}
	}
	return nil
}
