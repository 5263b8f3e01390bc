package ra

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
)

// In a real run, a day passes in about 10 minutes (5 in a quick run). The scheduler itself keeps the
// number of tasks within f(t), in steps of one slot per TaskTracker.
const (
	trackers  = 20
	slots     = 5
	waveHours = 3 // tasks that a slot runs per hour of the paper's time; each takes a third of an hour
	// realSize is the work per job, in hours of the whole cluster. It is less than in the
	// simulator, because heartbeats cost time between two tasks.
	realSize = 3.3
	margin   = 1.15             // estimated length of a task divided by its length
	buffer   = 10               // percent
	startup  = 20 * time.Second // from the start of the cluster to hour 0
)

// scale is the ratio of the paper's time to the time of the run.
type scale int64

func scaleOf(r *lab.Run) scale {
	if r.Quick {
		return 300
	}
	return 150
}

// task returns the length of a task in ms. estimate returns the length that the scheduler assumes,
// which includes the time until the slot runs its next task.
func (c scale) task() int64     { return ra1Hour / waveHours / int64(c) }
func (c scale) estimate() int64 { return int64(float64(c.task()) * margin) }

// ra1Real runs the three jobs at the same time under each of two policies. The tasks sleep inside
// TaskTrackers.
func ra1Real(ctx context.Context, r *lab.Run) error {
	c := scaleOf(r)
	r.Knob("compression", fmt.Sprintf("%d, so a day takes 1/%d of 24 h", c, c))
	r.Knob("TaskTrackers", fmt.Sprintf("%d with %d map slots each; f(t) is rounded to fifths, and the scheduler "+
		"enforces it",
		trackers, slots))
	r.Knob("work per job", fmt.Sprintf("%g h of the whole cluster, in tasks of %d ms that sleep inside the "+
		"TaskTrackers",
		realSize, c.task()))
	r.Knob("howdah.job.profile", fmt.Sprintf("map=%d/%d, a task's length plus %.0f%% for the heartbeats before "+
		"and after it", c.estimate(), c.estimate(), 100*(margin-1)))
	r.Knob("howdah.adaptive.capacity.buffer", buffer)
	var rows [][]string
	found := map[string]*ra1Outcome{}
	for _, p := range []string{"adaptive", "reverse-adaptive"} {
		o, err := c.live(ctx, r, p)
		if err != nil {
			return err
		}
		found[p] = o
		rows = append(rows, row(p, o))
		draw(r, p, o)
	}
	r.AddTable("jobs", ra1Head, rows)
	ra1Check(r, found)
	return nil
}

// points returns the content of the scheduler's capacity file, which is f(t) rounded to fifths.
// origin is the time of hour 0.
func (c scale) points(origin time.Time) string {
	day := 24 * ra1Hour / int64(c)
	step := day / 288
	var b strings.Builder
	fmt.Fprintf(&b, "period %dms\norigin %d\nstep %dms\n", day, origin.UnixMilli(), day)
	share := func(t int64) float64 { return math.Round(slots*front.At(t*int64(c))) / slots }
	last := share(0)
	fmt.Fprintf(&b, "0 %.1f\n", last)
	for t := step; t < day; t += step {
		if s := share(t); s != last {
			fmt.Fprintf(&b, "%dms %.1f\n%dms %.1f\n", t-1, last, t, s)
			last = s
		}
	}
	fmt.Fprintf(&b, "%dms %.1f\n", day, last)
	return b.String()
}

// live runs the example under a policy on a minicluster.
func (c scale) live(ctx context.Context, r *lab.Run, policy string) (*ra1Outcome, error) {
	origin := time.Now().Add(startup)
	cluster, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: trackers, Slots: [2]int32{slots, 1},
		Files: map[string]string{"capacity.txt": c.points(origin)},
		Set: []string{
			"mapreduce.jobtracker.taskscheduler=" + policy,
			"howdah.adaptive.capacity.file=@DIR@/capacity.txt",
			"howdah.adaptive.cycle=" + strconv.FormatInt(30_000/int64(c), 10),
			"howdah.adaptive.capacity.buffer=" + strconv.Itoa(buffer),
			"howdah.adaptive.task.length=profile",
		}})
	if err != nil {
		return nil, err
	}
	defer cluster.Stop()
	select {
	case <-time.After(time.Until(origin)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	jobs, errs := make([]*lab.Job, len(deadlines)), make([]error, len(deadlines))
	var all sync.WaitGroup
	for i, d := range deadlines {
		all.Go(func() {
			goal := origin.Add(time.Duration(d * float64(time.Hour) / float64(c))).UnixMilli()
			jobs[i], errs[i] = cluster.RunJob(ctx, "sleep", "-D", conf.SleepInTracker.Name+"=true",
				"-D", "mapreduce.job.deadline="+strconv.FormatInt(goal, 10),
				"-D", fmt.Sprintf("howdah.job.profile=map=%d/%d", c.estimate(), c.estimate()),
				"-D", "mapreduce.map.speculative=false",
				"-m", strconv.Itoa(int(realSize*waveHours*trackers*slots)), "-r", "0", "-mt", strconv.FormatInt(c.task(), 10),
				"-recordt", strconv.FormatInt(c.task(), 10))
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c.observed(jobs, origin.UnixMilli()), nil
}

// observed computes the outcome of real jobs. It uses their attempts, whereas execute uses samples.
// origin is the time of hour 0, in ms since the epoch.
func (c scale) observed(jobs []*lab.Job, origin int64) *ra1Outcome {
	o := &ra1Outcome{}
	const every = ra1Hour / 60
	last := int64(0)
	for i, j := range jobs {
		o.finish[i] = float64((j.Finish-origin)*int64(c)) / ra1Hour
		if j.Finish > j.Deadline {
			o.missed++
		}
		last = max(last, (j.Finish-origin)*int64(c))
	}
	total := 0.0
	for at := int64(0); at < last; at += every {
		o.hours = append(o.hours, float64(at)/ra1Hour)
		for i, j := range jobs {
			n := 0.0
			for k := range j.Attempts {
				if a := &j.Attempts[k]; (a.Start-origin)*int64(c) <= at && at < (a.Finish-origin)*int64(c) {
					n++
				}
			}
			o.slots[i] = append(o.slots[i], n)
			if at < early {
				o.share[i] += n
				total += n
			}
		}
		o.slots[3] = append(o.slots[3], trackers*math.Round(slots*front.At(at)))
	}
	for i := range o.share {
		o.share[i] /= max(1, total)
	}
	return o
}

func row(policy string, o *ra1Outcome) []string {
	return []string{policy, hours(o.finish[0]), hours(o.finish[1]), hours(o.finish[2]), fmt.Sprint(o.missed),
		Percent(100 * o.share[2])}
}
