package dhf

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
)

// StartCluster starts the testbed on this machine, with nine TaskTrackers as slaves. Tasks sleep
// inside the TaskTrackers, so they do not need processes.
func StartCluster(ctx context.Context, r *lab.Run, p lab.Policy) (*lab.Cluster, error) {
	set := append([]string{conf.JobTrackerTaskScheduler.Name + "=" + p.Name,
		"howdah.jobtracker.heartbeat.interval.min=1000"}, p.Settings()...)
	return r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: Trackers, Slots: Slots, Set: set})
}

// RunJob runs a job whose tasks only sleep. The tasks sleep for the times in the trace that
// Trace(seed, w) returns.
func RunJob(ctx context.Context, c *lab.Cluster, seed uint64, w Work) (*lab.Job, error) {
	j := Trace(seed, w).Jobs[0]
	var maps, reduces []string
	for i := range j.Maps {
		maps = append(maps, strconv.FormatInt(j.Maps[i].Time, 10))
	}
	for i := range j.Reduces {
		reduces = append(reduces, strconv.FormatInt(j.Reduces[i].Time, 10))
	}
	return c.RunJob(ctx, "sleep", "-D", conf.SleepInTracker.Name+"=true", "-D", conf.FairSchedulerPool.Name+"="+w.Pool,
		"-D", fmt.Sprintf("mapreduce.job.reduce.slowstart.completedmaps=%g", w.SlowStart),
		"-D", conf.SleepMapTimes.Name+"="+strings.Join(maps, ","), "-D", conf.SleepReduceTimes.Name+"="+strings.Join(reduces,
			","),
		"-m", fmt.Sprint(w.Maps), "-r", fmt.Sprint(w.Reduces))
}

// Span returns the time from the start of a job's first attempt to the end of its last, in ms.
func Span(j *lab.Job) float64 {
	first, last := int64(math.MaxInt64), int64(0)
	for i := range j.Attempts {
		first, last = min(first, j.Attempts[i].Start), max(last, j.Attempts[i].Finish)
	}
	return float64(last - first)
}

// Borrowed counts the attempts that used slots of the other kind.
func Borrowed(j *lab.Job) (n int) {
	for i := range j.Attempts {
		if a := &j.Attempts[i]; a.Slot == job.Map.String() || a.Slot == job.Reduce.String() {
			n++
		}
	}
	return n
}
