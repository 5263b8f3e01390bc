// Package asleep replays jobs of a trace on a live cluster: as jobs of the application sleep, whose tasks take as long as the trace
// says, or less if time runs faster.
package asleep

import (
	"strconv"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/naps"
	"github.com/howdah/howdah/simulator/trace"
)

// Options say how tasks sleep.
type Options struct {
	Speed float64 // how many times as fast as recorded; above 0
	// InTracker lets TaskTrackers sleep themselves. A task in a process of its own has a real shuffle, which cannot be stretched: the time of
	// the recorded one is then part of the reduce.
	InTracker bool
}

// Fast gives what a recorded time in ms comes to.
func (o Options) Fast(ms int64) int64 { return int64(float64(ms)/o.Speed + 0.5) }

// Arguments are those of the application sleep for a job.
func Arguments(j *trace.Job) []string {
	return []string{"-m", strconv.Itoa(len(j.Maps)), "-r", strconv.Itoa(len(j.Reduces))}
}

// Settings are those of a job that tell how long its tasks take.
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
	set(naps.KeyMaps, naps.Text(maps))
	if o.InTracker {
		set(naps.InTracker, "true")
		set(naps.KeyShuffles, naps.Text(shuffles))
	} else {
		for i := range reduces {
			reduces[i] += shuffles[i]
		}
	}
	set(naps.KeyReduces, naps.Text(reduces))
	return out
}

func (o Options) nap(ms int64) time.Duration { return time.Duration(o.Fast(ms)) * time.Millisecond }
