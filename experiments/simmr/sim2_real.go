package simmr

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace/profile"
)

const (
	tasks      = 16  // maps and also reduces of a job, which run in two waves
	trackers   = 8   // each with one slot of each kind
	trackerCPU = 150 // limit of each TaskTracker, in thousandths of a core
	bins       = 4   // the square root of the number of tasks
)

// apps lists the applications and the kinds of their input. These are the applications of Table I,
// except for TF-IDF, which is a chain of jobs.
var apps = [][2]string{{"wordcount", "articles"}, {"wikitrends", "traffic"}, {"twitter", "follows"},
	{"sort", "articles"}, {"bayes", "articles"}}

// inputs holds the number of records of each kind of input, which take about 96 MB.
var inputs = map[string]int{"articles": 167_000, "traffic": 6_000_000, "follows": 12_500_000}

// sim2Real runs each application five times on a minicluster, one job after another, and profiles
// the jobs from the cluster's journal. The TaskTrackers are slow, so that tasks take much longer
// than the random variation on the machine.
func sim2Real(ctx context.Context, r *lab.Run) error {
	dir, err := os.MkdirTemp("", "howdah-sim2-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tree, remove, err := lab.OpenGroups("")
	if err != nil {
		return err
	}
	defer remove()
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: trackers, Slots: [2]int32{1, 1},
		Set: []string{"howdah.tasktracker.cgroups=required", "howdah.tasktracker.cgroups.memory=false",
			"howdah.tasktracker.cgroups.hierarchy=" + tree.Path()}})
	if err != nil {
		return err
	}
	defer c.Stop()
	if err := makeInputs(ctx, c, dir); err != nil {
		return err
	}
	if _, err := lab.LimitTrackers(tree, trackers, trackerCPU); err != nil {
		return err
	}
	if err := runApps(ctx, c, dir); err != nil {
		return err
	}
	journal, err := c.Journal(ctx)
	if err != nil {
		return err
	}
	runs, err := sim2Runs(journal)
	if err != nil {
		return err
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with 1 + 1 slots and %d millicores each, on one machine", trackers,
		trackerCPU))
	r.Knob("applications", "those of Table I except for TF-IDF, which is a chain of jobs")
	r.Knob("input", fmt.Sprintf("%d articles, %d lines of traffic, or %d follows from datagen, about 96 MB each, in %d "+
		"splits, with %d reduces", inputs["articles"], inputs["traffic"], inputs["follows"], tasks, tasks))
	sim2Compare(r, sim2Report(r, "table1-real", runs, profile.Divergence{Bins: bins}.Between, bins))
	long := sim2Report(r, "table1-real-seconds", runs, secondBins, "1 s wide") // shuffles and most reduces are shorter
	r.Compare("map-seconds", r.Value(long.same[0]/long.different[0]), "%.3f against %.3f on average", long.same[0],
		long.different[0])
	durations(r, runs)
	return nil
}

// durations adds a table with the mean and the deviation of each phase in each run.
func durations(r *lab.Run, runs []sim2Run) {
	var rows [][]string
	for i, x := range runs {
		row := []string{x.app, fmt.Sprint(i%repeats + 1)}
		for k := range phaseNames {
			mean, deviation := stat.MeanStdDev(x.phase(k), nil)
			row = append(row, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", deviation))
		}
		rows = append(rows, row)
	}
	r.AddTable("durations (ms)", []string{"application", "run", "map", "deviation", "shuffle", "deviation", "reduce",
		"deviation"}, rows)
}

// makeInputs generates a file for each map.
func makeInputs(ctx context.Context, c *lab.Cluster, dir string) error {
	for kind, n := range inputs {
		if _, err := c.Howdah(ctx, "run", "-q", "datagen", "-records", fmt.Sprint(n), "-m", fmt.Sprint(tasks), kind,
			filepath.Join(dir, kind)); err != nil {
			return err
		}
	}
	return nil
}

func runApps(ctx context.Context, c *lab.Cluster, dir string) error {
	for n := range repeats {
		for _, a := range apps {
			out := filepath.Join(dir, "out")
			if _, err := c.Howdah(ctx, "run", "-q", a[0], "-D", "mapreduce.job.name="+a[0],
				"-D", fmt.Sprint("mapreduce.job.reduces=", tasks),
				"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false",
				filepath.Join(dir, a[1]), out); err != nil {
				return fmt.Errorf("%s, run %d: %w", a[0], n+1, err)
			}
			if err := os.RemoveAll(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// sim2Runs returns the applications' runs from the cluster's journal.
func sim2Runs(journal []byte) ([]sim2Run, error) {
	t, err := FromJournal("sim2", journal)
	if err != nil {
		return nil, err
	}
	var runs []sim2Run
	for _, a := range apps {
		n := 0
		for _, j := range t.Jobs {
			if j.Name == a[0] && len(j.Maps) == tasks && len(j.Reduces) == tasks {
				runs = append(runs, sim2Run{j.Name, profile.Of(j)})
				n++
			}
		}
		if n != repeats {
			return nil, fmt.Errorf("found %d jobs %s with %d maps and %d reduces, want %d", n, a[0], tasks, tasks, repeats)
		}
	}
	return runs, nil
}
