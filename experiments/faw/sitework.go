package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// Work describes a job that real runs execute on a Site, and the job that creates its input.
type Work struct {
	Name, About string
	Maps        int      // number of maps of its first job
	Input       []string // nil = no input; the last argument is the input directory
	Run         []string
	Out         string // output directory; "" = nothing to remove
}

// parts is the number of maps of SortWork, CountWork, and PiWork, and of SortWork's reduces. The maps
// fill whole waves on 2, 3, 4, or 6 nodes, and almost fill them on 5.
const parts = 24

const (
	sortMB  = 8          // per map
	textMB  = 12         // per map
	samples = 40_000_000 // per map
)

// SortWork, CountWork, and PiWork are the jobs at full size.
var (
	SortWork  = sorting(parts, sortMB, "")
	CountWork = counting(parts, textMB, "")
	PiWork    = Work{Name: "Pi", About: "an estimate of pi with almost no input or output,", Maps: parts,
		Run: []string{"pi", fmt.Sprint(parts), fmt.Sprint(samples)}}
)

// SmallSort and SmallCount have half the input and half as many maps. SmallSort also has half as many
// reduces.
var (
	SmallSort  = sorting(parts/2, sortMB, "")
	SmallCount = counting(parts/2, textMB, "")
)

// sorting and counting return jobs with the given number of maps, each of which reads mb MB. Their
// directories are below the given one.
func sorting(maps, mb int, below string) Work {
	const rows = 10_000 // per MB
	return Work{Name: "Sort", About: fmt.Sprintf("TeraSort of %d MB with %d reduces", maps*mb, maps),
		Maps: maps, Out: below + "/sorted",
		Input: []string{"teragen", "-D", fmt.Sprintf("mapreduce.job.maps=%d", maps), fmt.Sprint(maps * mb * rows),
			below + "/rows"},
		Run: []string{"terasort", "-D", fmt.Sprintf("mapreduce.job.reduces=%d", maps), below + "/rows",
			below + "/sorted"}}
}

func counting(maps, mb int, below string) Work {
	const million = 1_000_000
	return Work{Name: "WordCount", About: fmt.Sprintf("%d MB of text with 2 reduces", maps*mb),
		Maps: maps, Out: below + "/counted",
		Input: []string{"randomtextwriter", "-D", fmt.Sprintf("mapreduce.randomtextwriter.totalbytes=%d", maps*mb*million),
			"-D", fmt.Sprintf("mapreduce.randomtextwriter.bytespermap=%d", mb*million), below + "/text"},
		Run: []string{"wordcount", "-D", "mapreduce.job.reduces=2", below + "/text", below + "/counted"}}
}

// WorkKnobs records the descriptions of jobs as settings of the run r.
func WorkKnobs(r *lab.Run, work ...Work) {
	for _, w := range work {
		r.Knob(w.Name, fmt.Sprintf("%s and %d maps", w.About, w.Maps))
	}
}

// Prepare creates the input of jobs on the current nodes of the MR-cluster. Meanwhile, the nodes'
// CPU is not limited.
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

// Measure runs a job whose input is on disk, removes its output, and returns its time in s.
func (s *Site) Measure(ctx context.Context, w Work) (float64, error) {
	if err := s.DropCache(ctx); err != nil {
		return 0, err
	}
	t, err := s.Time(ctx, w.Run...)
	if err != nil || w.Out == "" {
		return t, err
	}
	return t, s.Forget(ctx, w.Out)
}

// MeasureAll runs each job the given number of times, in rounds. It returns the times of each job in
// the order of the runs.
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
	return times, nil
}

// Clear removes the input of a job.
func (s *Site) Clear(ctx context.Context, w Work) error {
	if len(w.Input) == 0 {
		return nil
	}
	return s.Forget(ctx, w.Input[len(w.Input)-1])
}
