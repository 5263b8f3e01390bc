//go:build integration

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/measure"
)

// series is a job that runs repeatedly, with growing amounts of work.
type series struct {
	name, unit string
	work       []float64
	input      func(ctx context.Context, in string, work float64) error
	args       func(in, out string, work float64) []string
	simulates  func(work float64) simulated // replaces args if it is not nil
}

// columns returns the names of the measured figures.
func (s *series) columns() []string {
	names := []string{"CPU (s)", "peak (MiB)"}
	if s.simulates != nil {
		names = append(names, "cycles (s)", "rest (s)")
	}
	return names
}

// bySize returns the series in which the size of the input grows.
func bySize(_ *bench, work []float64) []series {
	of := func(name string, generate corpus.Generator, args func(in, out string, work float64) []string) series {
		return series{name: name, unit: "input (bytes)", work: work, args: args,
			input: func(_ context.Context, in string, size float64) error {
				return corpus.File(in, int64(size), generate)
			}}
	}
	return []series{
		of("wordcount, skewed words", corpus.Zipf, wordcount),
		of("wordcount, unique words", corpus.Unique, wordcount),
		of("wordcount, one word", corpus.OneWord, wordcount),
		of("TeraSort", corpus.Rows, terasort),
		of("sort, one key", corpus.OneWord, sortLines),
		of("grep", corpus.Zipf, grep("rap[a-z]*rw")),
		of("grep for nothing", corpus.Zipf, grep("ymb[a-z]*sc")),
	}
}

// byMaps returns the series in which the number of maps grows. Each map reads a file with one line.
func byMaps(_ *bench, work []float64) []series {
	files := func(_ context.Context, in string, maps float64) error {
		if err := os.Mkdir(in, 0o755); err != nil {
			return err
		}
		for i := range int(maps) {
			line := fmt.Appendf(nil, "line %d\n", i)
			if err := os.WriteFile(filepath.Join(in, fmt.Sprintf("%05d", i)), line, 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	return []series{{name: "maps of one line, wordcount", unit: "maps", work: work, input: files, args: wordcount}}
}

// byReduces returns the series in which the number of reduces grows. The jobs have 16 maps.
func byReduces(_ *bench, work []float64) []series {
	const size, split = 64_000_000, 4_000_000
	rows := func(_ context.Context, in string, _ float64) error { return corpus.File(in, size, corpus.Rows) }
	args := func(in, out string, reduces float64) []string {
		return []string{"run", "-q", "terasort", "-D", fmt.Sprintf("mapreduce.job.reduces=%.0f", reduces),
			"-D", fmt.Sprint("mapreduce.input.fileinputformat.split.maxsize=", split), in, out}
	}
	return []series{{name: "reduces, TeraSort of 64 MB in 16 maps", unit: "reduces", work: work, input: rows, args: args}}
}

// byRecord returns the series in which the length of a line grows. All inputs have the same size.
func byRecord(_ *bench, work []float64) []series {
	size := int64(slices.Max(work))
	of := func(name string, args func(in, out string, work float64) []string) series {
		return series{name: fmt.Sprintf("%s, %d bytes", name, size), unit: "record (bytes)", work: work, args: args,
			input: func(_ context.Context, in string, length float64) error {
				return corpus.File(in, size, corpus.Records(int64(length)))
			}}
	}
	return []series{of("records read by grep", grep("ymb[a-z]*sc")), of("records sorted", sortLines)}
}

// byJobs returns the series in which the number of simulated jobs grows. The jobs arrive at a
// cluster of 100 nodes, one per millisecond on average, so they queue.
func byJobs(b *bench, work []float64, policies []string) []series {
	var all []series
	for _, policy := range policies {
		all = append(all, series{name: "queued jobs, " + policy, unit: "jobs", work: work, input: b.trace,
			simulates: func(float64) simulated { return simulated{policy, 100} }})
	}
	return all
}

// byTrackers returns the series in which the number of TaskTrackers grows. The number of jobs
// equals that of TaskTrackers.
func byTrackers(b *bench, work []float64) []series {
	return []series{{name: "TaskTrackers and jobs, fair", unit: "TaskTrackers", work: work, input: b.trace,
		simulates: func(trackers float64) simulated { return simulated{"fair", int(trackers)} }}}
}

// trace generates a trace in which a job arrives every millisecond on average.
func (b *bench) trace(ctx context.Context, in string, jobs float64) error {
	_, _, err := measure.Run(b.command(ctx, "sim", "generate", "--jobs", fmt.Sprintf("%.0f", jobs), "--mean-gap", "0.001",
		"--maps", "uniform(1,20)", "--map-time", "uniform(5000,60000)", "--reduces", "uniform(0,4)",
		"--reduce-time", "uniform(5000,60000)", "--deadline-factor", "3", "--out", in, "custom"))
	return err
}

func wordcount(in, out string, _ float64) []string {
	return []string{"run", "-q", "wordcount", "-D", "mapreduce.job.reduces=2", in, out}
}

func terasort(in, out string, _ float64) []string {
	return []string{"run", "-q", "terasort", "-D", "mapreduce.job.reduces=2", in, out}
}

// sortLines returns the arguments of a job that sorts lines of text. A line is a key.
func sortLines(in, out string, _ float64) []string {
	return []string{"run", "-q", "sort", "-r", "2",
		"-inFormat", "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
		"-outFormat", "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
		"-outKey", "org.apache.hadoop.io.Text", "-outValue", "org.apache.hadoop.io.Text", in, out}
}

func grep(pattern string) func(in, out string, _ float64) []string {
	return func(in, out string, _ float64) []string { return []string{"run", "-q", "grep", in, out, pattern} }
}
