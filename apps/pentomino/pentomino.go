// Package pentomino is Hadoop's example of the same name. It tiles a board with pentominoes in all
// ways that put the center of piece x in the upper left quarter. The maps extend partial solutions,
// which the client generates.
package pentomino

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Hadoop's keys and the group of its counters.
const (
	keyDepth  = "mapreduce.pentomino.depth" // number of pieces placed before the maps start
	keyWidth  = "mapreduce.pentomino.width"
	keyHeight = "mapreduce.pentomino.height"
	keyClass  = "mapreduce.pentomino.class" // OneSidedPentomino, or Pentomino, whose pieces can be turned over
	group     = "org.apache.hadoop.examples.dancing.Pentomino$SolutionCategory"
)

const usage = "<out> [-depth N] [-height N] [-width N]"

// defaultMaps is the approximate number of maps if mapreduce.job.maps is not set.
const defaultMaps = 2000

// App returns Hadoop's pentomino example.
func App() *mapreduce.App {
	j := &mapreduce.Job{Name: "pentomino", Mapper: mapreduce.MapOf(func() *solver { return &solver{} })}
	return &mapreduce.App{
		Name:  "pentomino",
		Short: "finds all tilings of a board with pentominoes",
		Usage: usage,
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	c := r.Conf().Clone()
	if err := parseArgs(c, args); err != nil {
		return failure.New(failure.Usage, "pentomino", "", err).Fix("usage: pentomino " + usage)
	}
	p, err := newPuzzle(c)
	if err != nil {
		return err
	}
	maps := int64(defaultMaps)
	if !c.IsDefault(conf.JobMaps.Name) {
		if maps, err = conf.JobMaps.Get(c); err != nil {
			return err
		}
	}
	out := strings.TrimRight(args[0], "/")
	mapreduce.SetOutputPath(c, out)
	if err := (mapreduce.TextOutput{}).Check(ctx, &mapreduce.Env{Conf: c, FS: r.FS()}); err != nil {
		return err
	}
	input := out + "_input"
	if err := dir.Refuse(ctx, r.FS(), input); err != nil {
		return err
	}
	defer func() { _ = dir.Delete(context.WithoutCancel(ctx), r.FS(), input) }()
	size, err := writeBeginnings(ctx, r, input, p)
	if err != nil {
		return err
	}
	mapreduce.SetInputPaths(c, input)
	c.Set(conf.InputFileInputFormatSplitMaxSize.Name, strconv.FormatInt(max(1, size/maps), 10), "pentomino")
	c.Set(conf.JobReduces.Name, "1", "pentomino")
	_, err = r.Run(ctx, j, c)
	return err
}

func parseArgs(c *conf.Config, args []string) error {
	if len(args) == 0 {
		return errors.New("want an output")
	}
	for i := 1; i < len(args); i += 2 {
		key, ok := map[string]string{"-depth": keyDepth, "-height": keyHeight, "-width": keyWidth}[strings.ToLower(args[i])]
		if !ok || i+1 == len(args) {
			return fmt.Errorf("%q is not an option, or its value is missing", args[i])
		}
		c.Set(key, args[i+1], "pentomino")
	}
	return nil
}

// writeBeginnings writes a file in the directory input, with a line for each way to place the first
// pieces. It returns the size of the file in bytes.
func writeBeginnings(ctx context.Context, r mapreduce.Runner, input string, p *puzzle) (int64, error) {
	var text bytes.Buffer
	p.table.Split(p.depth, func(choices []int) {
		text.WriteString(strings.Trim(strings.ReplaceAll(fmt.Sprint(choices), " ", ","), "[]") + "\n")
	})
	fs, name, err := r.FS().Resolve(input)
	if err != nil {
		return 0, err
	}
	w, err := fs.Create(ctx, name+"/part1", dfs.CreateOptions{})
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		w.Abort()
		return 0, err
	}
	return int64(text.Len()), w.Close()
}

// solver emits each solution with the partial solution that it extends as the key.
type solver struct {
	p     *puzzle
	found map[string]*mapreduce.Counter
}

func (s *solver) Setup(c *mapreduce.Context) (err error) {
	if s.p, err = newPuzzle(c.Conf); err != nil {
		return err
	}
	s.found = map[string]*mapreduce.Counter{}
	for _, name := range categories {
		if s.found[name], err = c.Counter(group, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *solver) Map(c *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	var choices []int
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			return failure.New(failure.User, "read beginning", line, errors.New("want numbers of 0 or more, "+
				"separated by commas"))
		}
		choices = append(choices, n)
	}
	s.p.table.Solve(choices, func(rows []int) bool {
		out.Emit(line, "\n"+s.p.picture(rows))
		s.found[s.p.category(rows)].Add(1)
		c.Progress()
		return c.Context().Err() == nil && out.Err() == nil
	})
	return errors.Join(c.Context().Err(), out.Err())
}
