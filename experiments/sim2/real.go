package sim2

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/simulator/trace/profile"
)

const (
	records  = 320_000 // articles, about 180 MB
	split    = 8 << 20 // bytes of a map's input
	reduces  = 24
	trackers = 2 // with one slot of each kind
	bins     = 5 // the square root of the number of tasks
)

// apps have nothing but the input in common: counting words combines well, bayes counts pairs, sort moves all of the data.
var apps = []string{"wordcount", "sort", "bayes"}

// real runs three applications five times each on a minicluster, one job after the other, and profiles them from the cluster's
// own journal.
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
	journal, err := c.Journal(ctx)
	if err != nil {
		return err
	}
	t, err := simmr.FromJournal("sim2", journal)
	if err != nil {
		return err
	}
	var runs []run
	for _, j := range t.Jobs {
		if len(j.Reduces) == reduces {
			runs = append(runs, run{j.Name, profile.Of(j)})
		}
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with 1 + 1 slots on one machine", trackers))
	r.Knob("input", fmt.Sprintf("%d articles of datagen, splits of %d bytes, %d reduces", records, split, reduces))
	report(r, runs, profile.Divergence{Bins: bins})
	return nil
}
