package simmr

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// tracesVariable is the environment variable for the directory of public traces, which are not part
// of the program.
const tracesVariable = "HOWDAH_TRACES"

// least is the minimum duration of a job that counts, in ms: 20 heartbeats of 3 s.
const least = 60_000

// public replays the public Rumen traces in the rumen folder of the directory in tracesVariable. It
// does nothing if the variable is not set. The traces do not record the clusters' slots or other
// users. Therefore, each job is replayed alone, on its maximum number of concurrent slots. public
// reports the errors without a verdict.
func public(ctx context.Context, r *lab.Run) error {
	dir := os.Getenv(tracesVariable)
	if dir == "" {
		return nil
	}
	r.Knob("public tables", "recorded Rumen traces; each job is replayed alone, on one TaskTracker with the largest "+
		"numbers of slots that the job held at the same time; jobs that failed, have no maps, or took less than 60 s are "+
		"omitted")
	files, _ := filepath.Glob(filepath.Join(dir, "rumen", "*-jobs.trace.json*"))
	for _, f := range files {
		t, err := importer.Read([]string{f}, importer.Options{})
		if err != nil {
			return err
		}
		first, settled := &Accuracy{}, &Accuracy{}
		for _, j := range t.Jobs {
			if len(j.Maps) == 0 {
				continue
			}
			c, one := Cluster{Trackers: 1, Slots: held(j), Heartbeat: 3000}, &trace.Trace{Jobs: []*trace.Job{j}}
			a, err := c.Measure(ctx, fifo, one, least)
			if err != nil {
				return err
			}
			first.Add(a)
			if a, err = c.MeasureSpan(ctx, fifo, one, least, tasksAlone); err != nil {
				return err
			}
			settled.Add(a)
		}
		r.Executions += 6 * len(first.Jobs)
		name := strings.SplitN(filepath.Base(f), ".", 2)[0]
		first.Report(r, "public-"+name, TaskLevel, Mumak)
		settled.Report(r, "public-"+name+"-tasks-alone", TaskLevel, Mumak)
		r.Note("On the public %s trace, measured from the first task to the job's end, the errors of SimMR's and Mumak's "+
			"models are %.0f%% and %.0f%%. The trace omits setup and cleanup. The "+
			"clocks of the recorded TaskTrackers differ by minutes, so in most jobs, one map appears to start long before all "+
			"others or before the submission. Measured from the time when a tenth of the maps have started to the end of the "+
			"last task, the mean errors are %.0f%% and %.0f%%, and the median errors %.1f%% and %.1f%%. The trace does not "+
			"record other load on that cluster.",
			name, 100*first.Mean(TaskLevel), 100*first.Mean(Mumak), 100*settled.Mean(TaskLevel), 100*settled.Mean(Mumak),
			100*settled.Median(TaskLevel), 100*settled.Median(Mumak))
	}
	return nil
}

// tasksAlone returns the time span of a job's maps and reduces. The span starts when a tenth of the
// maps have started, so that a few TaskTrackers with wrong clocks have no effect. It ends when the
// last task ends. It cannot include the job's setup and cleanup tasks, because the traces do not
// contain them.
func tasksAlone(j *trace.Job) (from, to int64) {
	starts := make([]int64, len(j.Maps))
	for i, m := range j.Maps {
		starts[i] = m.Start
	}
	slices.Sort(starts)
	return starts[len(starts)/10], LastEnd(j)
}

// held returns the maximum number of map slots and of reduce slots that a job held at the same time.
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

// peak returns the maximum number of intervals that overlap at any one point. An interval includes
// its start but not its end.
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
