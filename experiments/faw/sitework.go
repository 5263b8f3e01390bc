package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
)

// Work is a job of real runs on a Site, with the job that makes its input.
type Work struct {
	Name, About string
	Input       []string // "" = it needs none; its last word is the directory
	Run         []string
	Out         string // directory; "" = it writes nothing of note
}

// parts is how many maps a Work has, and Sort reduces: 2, 3, 4 or 6 nodes run them in whole waves, and 5 nearly so.
const parts = 24

const (
	sortRows  = 1_920_000  // of 100 bytes: a map reads 8 MB
	textBytes = 12_000_000 // a map reads
	samples   = 40_000_000 // of a map
)

// The jobs.
var (
	SortWork  = sorting(parts)
	CountWork = counting(parts)
	PiWork    = Work{Name: "Pi", About: "estimate of pi, which reads and writes next to nothing", Run: []string{"pi", fmt.Sprint(parts), fmt.Sprint(samples)}}
)

// The jobs that have input, with half of it and half as many tasks.
var (
	SmallSort  = sorting(parts / 2)
	SmallCount = counting(parts / 2)
)

func sorting(maps int) Work {
	rows := sortRows / parts * maps
	return Work{Name: "Sort", About: fmt.Sprintf("TeraSort of %d MB, %d reduces", rows/10_000, maps), Out: "/sorted",
		Input: []string{"teragen", "-D", fmt.Sprintf("mapreduce.job.maps=%d", maps), fmt.Sprint(rows), "/rows"},
		Run:   []string{"terasort", "-D", fmt.Sprintf("mapreduce.job.reduces=%d", maps), "/rows", "/sorted"}}
}

func counting(maps int) Work {
	return Work{Name: "WordCount", About: fmt.Sprintf("WordCount of %d MB, 2 reduces", maps*textBytes/1_000_000), Out: "/counted",
		Input: []string{"randomtextwriter", "-D", fmt.Sprintf("mapreduce.randomtextwriter.totalbytes=%d", maps*textBytes),
			"-D", fmt.Sprintf("mapreduce.randomtextwriter.bytespermap=%d", textBytes), "/text"},
		Run: []string{"wordcount", "-D", "mapreduce.job.reduces=2", "/text", "/counted"}}
}

// WorkKnobs notes what jobs are.
func WorkKnobs(r *lab.Run, work ...Work) {
	for _, w := range work {
		r.Knob(w.Name, fmt.Sprintf("%s; %d maps", w.About, parts))
	}
}

// Prepare makes the input of jobs where the site's nodes are at this moment, with all of the CPU.
func (s *Site) Prepare(ctx context.Context, work ...Work) error {
	if err := s.SetCores(ctx, 0); err != nil {
		return err
	}
	for _, w := range work {
		if len(w.Input) == 0 {
			continue
		}
		if _, err := s.Time(ctx, w.Input...); err != nil {
			return err
		}
	}
	return s.SetCores(ctx, siteCores)
}

// Measure runs a job and gives its time in s. What it wrote is removed.
func (s *Site) Measure(ctx context.Context, w Work) (float64, error) {
	t, err := s.Time(ctx, w.Run...)
	if err != nil || w.Out == "" {
		return t, err
	}
	return t, s.Forget(ctx, w.Out)
}

// MeasureAll runs jobs in turn, so many times each, and gives the times of each, sorted.
func (s *Site) MeasureAll(ctx context.Context, runs int, work ...Work) ([][]float64, error) {
	times := make([][]float64, len(work))
	for range runs {
		for i, w := range work {
			t, err := s.Measure(ctx, w)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], t)
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	return times, nil
}

// Clear removes the input of a job.
func (s *Site) Clear(ctx context.Context, w Work) error {
	if len(w.Input) == 0 {
		return nil
	}
	return s.Forget(ctx, w.Input[len(w.Input)-1])
}
