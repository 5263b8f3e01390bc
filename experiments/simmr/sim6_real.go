package simmr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/asleep"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// small6 scales the testbed's mix to one machine. A job keeps a part of its tasks, the cluster has
// the same part of the slots, and time passes faster, so that the numbers of waves stay the same.
var small6 = struct {
	trackers int
	slots    [2]int32 // of each TaskTracker
	part     int      // a job keeps one of so many maps, and one reduce for each slot
	speed    int64
	mean     float64 // mean time between arrivals in seconds, before the speed applies
	orders   int     // random orders and times of arrival with deadline factor 3
}{4, [2]int32{4, 4}, 4, 200, 10, 4}

// sim6Real runs the mix under MaxEDF and MinEDF, with deadline factor 1 once and with factor 3 in
// several orders, and simulates the same jobs. The policies differ only in some orders, in which
// reduces that wait for maps hold the slots of MaxEDF.
func sim6Real(ctx context.Context, r *lab.Run) error {
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with %d + %d slots on one machine", small6.trackers, small6.slots[0],
		small6.slots[1]))
	r.Knob("jobs", fmt.Sprintf("those of the simulated run with a %dth of the tasks, %d times as fast; TaskTrackers "+
		"sleep in place of tasks, so shuffles move no data", small6.part, small6.speed))
	r.Knob("mean inter-arrival", fmt.Sprintf("%g s divided by %d", small6.mean, small6.speed))
	r.Knob("T_J", "the simulated time that job J takes alone with all slots")
	e := &sim6Runs{run: r, slots: Cluster{Trackers: small6.trackers, Slots: small6.slots}.all()}
	once, err := e.pair(ctx, 1, 0)
	if err != nil {
		return err
	}
	var sums [2]float64
	for n := range small6.orders {
		pair, err := e.pair(ctx, 3, n)
		if err != nil {
			return err
		}
		sums[0], sums[1] = sums[0]+pair[0], sums[1]+pair[1]
	}
	r.AddTable("figure7-real", []string{"deadline factor", "order", "policy", "sum of relative deadlines exceeded",
		"late jobs", "simulated"}, e.rows)
	r.Compare("df1", r.Value(once[1]/once[0]), "%.2f against %.2f", once[1], once[0])
	r.Compare("better-3", r.Value(sums[1]/sums[0]), "%.2f against %.2f in %d orders", sums[1], sums[0], small6.orders)
	r.Compare("simulated", r.Value(100*e.worst), "%d runs", len(e.rows))
	return nil
}

// sim6Runs holds what the runs have in common, and their results.
type sim6Runs struct {
	run   *lab.Run
	slots [2]int32
	rows  [][]string
	worst float64 // largest |simulated/executed - 1| of the metric
}

// pair executes and simulates the jobs in the n-th order under MaxEDF and MinEDF. It returns the sums
// of relative deadlines exceeded.
func (e *sim6Runs) pair(ctx context.Context, factor float64, n int) (sums [2]float64, err error) {
	seed := e.run.Seed + uint64(n)
	jobs := generate.Arrive(smallJobs(e.run.Seed, e.slots), generate.Poisson(small6.mean*1000/float64(small6.speed)), seed)
	due, err := generate.Collect("sim6", generate.Deadlines(jobs.Source(), 1, factor, seed, func(j *trace.Job) int64 {
		ms, _ := lab.Alone(ctx, j, e.slots) // fails only if ctx has ended
		return ms
	}))
	if err != nil {
		return sums, err
	}
	for i, p := range sim4Policies {
		simulated, err := lab.RunTasks(ctx, p, e.slots, seed, due.Source())
		if err != nil {
			return sums, err
		}
		foreseen, _ := lab.Exceeded(simulated)
		late := 0.0
		if sums[i], late, err = sim6Execute(ctx, e.run, p, due, fmt.Sprintf("%s-%g-%d", p.Name, factor, n)); err != nil {
			return sums, err
		}
		e.worst = max(e.worst, math.Abs(foreseen/sums[i]-1))
		e.rows = append(e.rows, []string{fmt.Sprint(factor), fmt.Sprint(n + 1), p.Name, fmt.Sprintf("%.2f", sums[i]),
			fmt.Sprintf("%.0f%%", 100*late), fmt.Sprintf("%.2f", foreseen)})
	}
	return sums, nil
}

// smallJobs returns the testbed's jobs, scaled by small6.
func smallJobs(seed uint64, slots [2]int32) []*trace.Job {
	fast := func(ms int64) int64 { return max(1, (ms+small6.speed/2)/small6.speed) }
	jobs := generate.Testbed(seed)
	for _, j := range jobs {
		j.Maps, j.Reduces = j.Maps[:len(j.Maps)/small6.part], j.Reduces[:slots[1]]
		for i := range j.Maps {
			j.Maps[i].Time = fast(j.Maps[i].Time)
		}
		for i := range j.Reduces {
			x := &j.Reduces[i]
			x.Shuffle, x.Time = fast(x.Shuffle), fast(x.Time)
		}
		p := replay.Profile(j)
		j.Conf = []job.Property{{Name: conf.JobProfile.Name, Value: p.String()}}
	}
	return jobs
}

// sim6Execute runs the jobs on a minicluster under the policy p and returns the results of
// lab.Exceeded.
func sim6Execute(ctx context.Context, r *lab.Run, p lab.Policy, t *trace.Trace, name string) (exceeded, late float64,
	err error) {
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: small6.trackers, Slots: small6.slots,
		Set: append([]string{conf.JobTrackerTaskScheduler.Name + "=" + p.Name}, p.Settings()...)})
	if err != nil {
		return 0, 0, err
	}
	defer c.Stop()
	if err := submitAsleep(ctx, c, t); err != nil {
		return 0, 0, err
	}
	journal, err := c.Journal(ctx)
	if err != nil {
		return 0, 0, err
	}
	if err := keep(r, name, journal); err != nil {
		return 0, 0, err
	}
	ran, err := FromJournal(name, journal)
	if err != nil {
		return 0, 0, err
	}
	var done trace.Result
	for _, j := range ran.Jobs {
		done.Jobs = append(done.Jobs, trace.JobResult{ID: j.ID, Submit: j.Submit, Finish: j.Finish, Deadline: j.Deadline})
	}
	exceeded, late = lab.Exceeded(&done)
	return exceeded, late, nil
}

// submitAsleep submits the jobs at their times and waits until all of them have ended. If a job
// fails, submitAsleep cancels the others.
func submitAsleep(ctx context.Context, c *lab.Cluster, t *trace.Trace) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start, errs := time.Now(), make([]error, len(t.Jobs))
	var all sync.WaitGroup
	for i, j := range t.Jobs {
		args := []string{"run", "-q", "sleep", "-D", "mapreduce.job.name=" + j.Name,
			"-D", fmt.Sprintf("%s=+%dms", conf.JobDeadline.Name, j.Deadline-j.Submit),
			"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false"}
		for _, p := range j.Conf {
			args = append(args, "-D", p.Name+"="+p.Value)
		}
		for _, p := range (asleep.Options{Speed: 1, InTracker: true}).Settings(j) {
			args = append(args, "-D", p.Name+"="+p.Value)
		}
		args = append(args, asleep.Arguments(j)...)
		select {
		case <-time.After(time.Until(start.Add(time.Duration(j.Submit) * time.Millisecond))):
		case <-ctx.Done():
		}
		all.Go(func() {
			if _, errs[i] = c.Howdah(ctx, args...); errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// keep writes the journal of a cluster to r.Dir, if it is set.
func keep(r *lab.Run, name string, journal []byte) error {
	if r.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.Dir, name+".journal"), journal, 0o644)
}
