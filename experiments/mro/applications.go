package mro

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/scenario"
)

// part is the share of the paper's input, and of the reduces of the simulated jobs, that the real
// applications have: one of so many.
const part = 40

const (
	splitBytes = 64 << 20 // as in the paper
	gigabyte   = 1 << 30
	// Average numbers of bytes of the lines that datagen generates.
	articleBytes, followBytes, tweetBytes = 585, 8, 61
	piPoints                              = 120_000_000 // of a map, so that it takes about as long as in Bed
)

// applications returns Bed's nodes with the six applications of section IV as howdah's own programs.
// They follow from a rule that was written before their first run: a fortieth of the paper's input,
// splits of 64 MB, a fortieth of the reduces in kinds, and otherwise default settings. in is the
// directory with their input.
func applications(in string) *Testbed {
	b := Bed
	b.Files = nil
	b.About = fmt.Sprintf("Table I's applications as howdah's own programs (twitter-rank, wordcount, pi, grep, sort, "+
		"and kmeans with three rounds), with 1/%d of the paper's input and of the simulated jobs' reduces, in splits of "+
		"64 MB, except that a map of pi draws %d million points; default settings but for the memory of a slot", part,
		piPoints/1_000_000)
	b.Jobs = nil
	path := func(name string) string { return filepath.Join(in, name) }
	commands := map[string][]string{ // {out} stands for the output
		"Twitter":  {"twitter-rank", path("follows"), path("tweets"), "{out}"},
		"Wcount":   {"wordcount", path("articles"), "{out}"},
		"DistGrep": {"grep", path("articles"), "{out}", "topic[0-9]+"},
		"Kmeans":   {"kmeans", "-k", "8", "-rounds", "3", path("points"), "{out}"},
	}
	for i := range kinds {
		k := &kinds[i]
		reduces, words := strconv.Itoa(fortieth(k.reduces)), commands[k.name]
		switch k.name {
		case "PiEst":
			words = []string{"pi", strconv.Itoa(fortieth(k.maps)), strconv.Itoa(piPoints)}
		case "Sort":
			words = []string{"sort", "-r", reduces, path("articles"), "{out}"}
		}
		b.Jobs = append(b.Jobs, Work{k.name, func(dir string) []string {
			args := []string{words[0], "-D", fmt.Sprintf("mapreduce.input.fileinputformat.split.maxsize=%d", splitBytes),
				"-D", "mapreduce.job.reduces=" + reduces}
			for _, w := range words[1:] {
				args = append(args, strings.Replace(w, "{out}", filepath.Join(dir, k.name), 1))
			}
			return args
		}})
	}
	return &b
}

func fortieth(n int) int { return max(1, (n+part/2)/part) }

// writeInput writes the input of applications to a directory.
func writeInput(ctx context.Context, r *lab.Run, in string) error {
	howdah := func(ctx context.Context, args ...string) error {
		_, err := lab.RunHowdah(ctx, r.Binary, args)
		return err
	}
	for _, x := range []struct {
		kind      string
		gigabytes float64
		line      int64
	}{{"articles", 20, articleBytes}, {"follows", 12.5, followBytes}, {"tweets", 12.5, tweetBytes}} {
		bytes := int64(x.gigabytes * gigabyte / part)
		if err := howdah(ctx, "run", "-q", "datagen", "-records", strconv.FormatInt(bytes/x.line, 10), "-m",
			strconv.FormatInt((bytes+splitBytes-1)/splitBytes, 10), x.kind, filepath.Join(in, x.kind)); err != nil {
			return err
		}
	}
	points := scenario.Input{Kind: "points", Bytes: 10 * gigabyte / part, Parts: 10 * gigabyte / part / splitBytes}
	return points.Make(ctx, filepath.Join(in, "points"), howdah)
}
