// Package waits contains the plans for jobs whose tasks only wait. A Plan contains one time for all
// maps and one for all reducers, as in Hadoop's sleep job, or a list with a time for each task.
// Such a list can replay a trace on a live cluster. Either the tasks read the plan and wait, or a
// TaskTracker waits instead of the tasks (InTracker).
package waits

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// JobName is the name of jobs whose tasks only wait (mapreduce.Job.Name).
const JobName = "sleep"

// Plan contains the waiting times of a job's tasks.
type Plan struct{ Map, Shuffle, Reduce Times }

// Times contains the durations of all tasks of one kind.
type Times struct {
	all  time.Duration
	list []time.Duration
}

// Of returns the time of the task with the given index.
func (t Times) Of(index int) time.Duration {
	if index >= 0 && index < len(t.list) {
		return t.list[index]
	}
	return t.all
}

// maxTime is the longest wait, which is the maximum of a time.Duration in milliseconds.
const maxTime = math.MaxInt64 / int64(time.Millisecond)

// InTrackerPlan returns the plan of a job whose configuration sets InTracker. For other jobs it
// returns nil. jobName is the job's mapreduce.Job.Name, and xml is the content of its configuration
// file.
func InTrackerPlan(jobName string, xml []byte) (*Plan, error) {
	if jobName != JobName {
		return nil, nil
	}
	c := conf.New()
	if err := c.LoadXML(bytes.NewReader(xml), "job.xml"); err != nil {
		return nil, err
	}
	if in, err := conf.SleepInTracker.Get(c); err != nil || !in {
		return nil, err
	}
	plan, err := Read(c)
	return &plan, err
}

// Status returns the status text of a task that must wait for the time left. It is the same as in
// Hadoop's sleep job.
func Status(left time.Duration) string {
	return fmt.Sprintf("Sleeping... (%d) ms left", left.Milliseconds())
}

// Read reads the plan of a job. Errors are of kind Config and name the configuration key.
func Read(c *conf.Config) (p Plan, err error) {
	for _, r := range []struct {
		to   *Times
		all  *conf.Int
		list *conf.Text
	}{
		{&p.Map, &conf.SleepJobMapSleepTime, &conf.SleepMapTimes},
		{&p.Shuffle, &conf.SleepShuffleTime, &conf.SleepShuffleTimes},
		{&p.Reduce, &conf.SleepJobReduceSleepTime, &conf.SleepReduceTimes},
	} {
		ms, err := r.all.Within(c, 0, maxTime)
		if err != nil {
			return Plan{}, err
		}
		r.to.all = time.Duration(ms) * time.Millisecond
		if r.to.list, err = parse(r.list.Name, r.list.Get(c)); err != nil {
			return Plan{}, err
		}
	}
	return p, nil
}

func parse(key, text string) ([]time.Duration, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	list := make([]time.Duration, 0, strings.Count(text, ",")+1)
	for s := range strings.SplitSeq(text, ",") {
		ms, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err == nil && (ms < 0 || ms > maxTime) {
			err = errors.New("out of range")
		}
		if err != nil {
			return nil, failure.New(failure.Config, "read "+key, fmt.Sprintf("time %d", len(list)+1),
				fmt.Errorf("%q: %w", s, err)).
				Fix("use milliseconds of 0 or more, separated by commas")
		}
		list = append(list, time.Duration(ms)*time.Millisecond)
	}
	return list, nil
}

// Text formats durations as a list that Read accepts.
func Text(list []time.Duration) string {
	b := make([]byte, 0, 8*len(list))
	for i, d := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, d.Milliseconds(), 10)
	}
	return string(b)
}
