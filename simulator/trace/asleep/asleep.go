// Package asleep replays a trace's jobs on a live cluster as sleep jobs. Their tasks take as long
// as in the trace, divided by a speed factor.
package asleep

import (
	"strconv"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/waits"
	"github.com/howdah/howdah/simulator/trace"
)

// Options configures how tasks sleep.
type Options struct {
	Speed float64 // factor by which the replay is faster than the recording; above 0
	// InTracker makes TaskTrackers sleep without starting task processes. Otherwise, tasks have a
	// real shuffle, whose duration cannot be controlled, and the recorded shuffle time counts as
	// part of the reduce.
	InTracker bool
}

// Fast converts a recorded duration to its duration in the replay, both in ms.
func (o Options) Fast(ms int64) int64 { return int64(float64(ms)/o.Speed + 0.5) }

// Arguments returns the sleep application's arguments for the job.
func Arguments(j *trace.Job) []string {
	return []string{"-m", strconv.Itoa(len(j.Maps)), "-r", strconv.Itoa(len(j.Reduces))}
}

// Configure sets the settings of a sleep job in c: those in the trace, such as the pool, the queue,
// and the priority, and the times of the tasks. The deadline counts from the submission.
func (o Options) Configure(c *conf.Config, j *trace.Job) {
	set := func(key, value string) { c.Set(key, value, "trace") }
	for _, p := range j.Conf {
		set(p.Name, p.Value)
	}
	set(conf.JobName.Name, j.Name)
	if j.Queue != "" {
		set(conf.JobQueueName.Name, j.Queue)
	}
	set(conf.JobPriority.Name, j.Priority.String())
	if j.Deadline > 0 {
		set(conf.JobDeadline.Name, "+"+strconv.FormatInt(o.Fast(j.Deadline-j.Submit), 10)+"ms")
	}
	for _, p := range o.Settings(j) {
		set(p.Name, p.Value)
	}
}

// Settings returns the settings of a sleep job. Its tasks take as long as those of j, divided by
// o.Speed.
func (o Options) Settings(j *trace.Job) []conf.Property {
	maps := make([]time.Duration, len(j.Maps))
	for i := range maps {
		maps[i] = o.nap(j.Maps[i].Time)
	}
	shuffles, reduces := make([]time.Duration, len(j.Reduces)), make([]time.Duration, len(j.Reduces))
	for i := range reduces {
		shuffles[i], reduces[i] = o.nap(j.Reduces[i].Shuffle), o.nap(j.Reduces[i].Time)
	}
	var out []conf.Property
	set := func(key, value string) { out = append(out, conf.Property{Name: key, Value: value, Source: "trace"}) }
	set(conf.SleepMapTimes.Name, waits.Text(maps))
	if o.InTracker {
		set(conf.SleepInTracker.Name, "true")
		set(conf.SleepShuffleTimes.Name, waits.Text(shuffles))
	} else {
		for i := range reduces {
			reduces[i] += shuffles[i]
		}
	}
	set(conf.SleepReduceTimes.Name, waits.Text(reduces))
	return out
}

func (o Options) nap(ms int64) time.Duration { return time.Duration(o.Fast(ms)) * time.Millisecond }
