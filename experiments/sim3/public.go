package sim3

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// tracesVariable names the directory of public traces, which are no part of the program.
const tracesVariable = "HOWDAH_TRACES"

// least is how long a job must have taken to be counted, in ms: beats are 3 s.
const least = 60_000

// public replays public traces, if they are at hand: below rumen/, Rumen's traces. Which slots those clusters had and who else
// used them is not recorded, so each job is replayed alone, on as many slots as it was seen to hold at once. The outcome is
// shown, and no relation is checked. Jobs that failed are left out, those whose clocks contradict each other stand apart.
func public(ctx context.Context, r *lab.Run) error {
	dir := os.Getenv(tracesVariable)
	if dir == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dir, "rumen", "*-jobs.trace.json*"))
	for _, f := range files {
		t, err := importer.Read([]string{f}, importer.Options{})
		if err != nil {
			return err
		}
		clean, skewed := &simmr.Accuracy{}, &simmr.Accuracy{}
		for _, j := range t.Jobs {
			if len(j.Maps) == 0 {
				continue
			}
			c := simmr.Cluster{Trackers: 1, Slots: held(j), Heartbeat: 3000}
			a, err := c.Measure(ctx, fifo, &trace.Trace{Jobs: []*trace.Job{j}}, least)
			if err != nil {
				return err
			}
			to := clean
			if j.Skewed {
				to = skewed
			}
			to.Add(a)
		}
		r.Executions += 3 * (len(clean.Jobs) + len(skewed.Jobs))
		name := "public-" + strings.SplitN(filepath.Base(f), ".", 2)[0]
		clean.Report(r, name, simmr.TaskLevel, simmr.Mumak)
		skewed.Report(r, name+"-skewed-clocks", simmr.TaskLevel, simmr.Mumak)
	}
	return nil
}

// held is how many slots a job held at once, at most.
func held(j *trace.Job) [2]int32 {
	var mapEnd int64
	maps := make([][2]int64, len(j.Maps))
	for i, m := range j.Maps {
		maps[i] = [2]int64{m.Start, m.Start + m.Time}
		mapEnd = max(mapEnd, m.Start+m.Time)
	}
	reduces := make([][2]int64, len(j.Reduces))
	for i, x := range j.Reduces {
		reduces[i] = [2]int64{x.Start, max(x.Start, mapEnd) + x.Shuffle + x.Time}
	}
	return [2]int32{peak(maps), peak(reduces)}
}

// peak is how many of the intervals overlap at most.
func peak(of [][2]int64) (most int32) {
	type change struct {
		at int64
		by int32
	}
	var changes []change
	for _, x := range of {
		changes = append(changes, change{x[0], 1}, change{x[1], -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	n := int32(0)
	for _, c := range changes {
		n += c.by
		most = max(most, n)
	}
	return most
}
