// Package naps says how long the tasks of a sleep job sleep: one time for all maps and one for all reducers, as in Hadoop, or
// a list with a time for each task, which is how a trace is replayed on a live cluster. The sleep application reads it in its
// tasks, and a TaskTracker that sleeps in their stead (InTracker) reads it itself.
package naps

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Keys. Those without "howdah" are Hadoop's. All times are milliseconds. A list is comma-separated; its n-th time is that of
// task n, and tasks beyond its end take the time for all.
const (
	KeyMap     = "mapreduce.sleepjob.map.sleep.time"
	KeyReduce  = "mapreduce.sleepjob.reduce.sleep.time"
	KeyMaps    = "howdah.sleep.map.times"
	KeyReduces = "howdah.sleep.reduce.times"

	// InTracker makes TaskTrackers run the tasks of a sleep job themselves, without a process: thousands of them cost next to
	// nothing.
	InTracker = "howdah.sleep.in-tracker"
	// KeyShuffle and KeyShuffles say how long the shuffle of a reducer takes from when its last map output is there (or from
	// its start, if that is later). They count in a TaskTracker; a task in a process has a real shuffle.
	KeyShuffle  = "howdah.sleep.shuffle.time"
	KeyShuffles = "howdah.sleep.shuffle.times"
	// KeyLoad says what a task does instead of sleeping: cpu computes, io writes and reads a file. It counts in processes.
	KeyLoad = "howdah.sleep.load"
)

// JobName is the name under which programs know a sleep job (mapreduce.Job.Name).
const JobName = "sleep"

// Plan says how long each task of a job sleeps.
type Plan struct{ Map, Shuffle, Reduce Times }

// Times are the durations of the tasks of one kind.
type Times struct {
	all  time.Duration
	list []time.Duration
}

// Of gives the time of a task by its index.
func (t Times) Of(index int) time.Duration {
	if index >= 0 && index < len(t.list) {
		return t.list[index]
	}
	return t.all
}

// defaultTime is Hadoop's, in milliseconds.
const defaultTime = 100

// maxTime is the longest nap: what a time.Duration can hold, in milliseconds.
const maxTime = math.MaxInt64 / int64(time.Millisecond)

// Read reads the plan of a job. Errors are of kind Config and name the key.
func Read(c *conf.Config) (p Plan, err error) {
	for _, r := range []struct {
		to        *Times
		all, list string
		def       int64
	}{{&p.Map, KeyMap, KeyMaps, defaultTime}, {&p.Shuffle, KeyShuffle, KeyShuffles, 0}, {&p.Reduce, KeyReduce, KeyReduces, defaultTime}} {
		ms, err := c.Int(r.all, r.def, 0, maxTime)
		if err != nil {
			return Plan{}, err
		}
		r.to.all = time.Duration(ms) * time.Millisecond
		if r.to.list, err = parse(r.list, c.Get(r.list)); err != nil {
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
			return nil, failure.New(failure.Config, "read "+key, fmt.Sprintf("time %d", len(list)+1), fmt.Errorf("%q: %w", s, err)).
				Fix("give milliseconds of 0 or more, separated by commas")
		}
		list = append(list, time.Duration(ms)*time.Millisecond)
	}
	return list, nil
}

// Text writes durations as a list that Read takes.
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
