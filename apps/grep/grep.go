// Package grep counts what matches a regular expression and lists it, the most frequent first, by two jobs in a row.
package grep

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Hadoop's keys.
const (
	keyPattern = "mapreduce.mapper.regex"
	keyGroup   = "mapreduce.mapper.regexmapper..group"
)

// App gives the application.
func App() *mapreduce.App {
	search := &mapreduce.Job{
		Name:     "grep-search",
		Output:   mapreduce.SequenceOutput{},
		Mapper:   mapreduce.MapOf(func() *matcher { return &matcher{} }),
		Combiner: mapreduce.Sum[int64](),
		Reducer:  mapreduce.Sum[int64](),
	}
	sort := &mapreduce.Job{
		Name:   "grep-sort",
		Input:  mapreduce.SequenceInput{},
		Mapper: mapreduce.MapFunc(invert),
		Sort:   mapreduce.Descending(mapreduce.LongWritable),
	}
	return &mapreduce.App{
		Name:  "grep",
		Short: "counts the matches of a regular expression in the input",
		Usage: "<in> <out> <regex> [<group>]",
		Jobs:  []*mapreduce.Job{search, sort},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			return run(ctx, r, search, sort, args)
		},
	}
}

func run(ctx context.Context, r mapreduce.Runner, search, sort *mapreduce.Job, args []string) error {
	if len(args) < 3 || len(args) > 4 {
		return usage(errors.New("want an input, an output, a regular expression and perhaps a group"))
	}
	in, out, pattern, group := args[0], strings.TrimRight(args[1], "/"), args[2], "0"
	if len(args) == 4 {
		group = args[3]
	}
	if _, _, err := compile(pattern, group); err != nil {
		return usage(err)
	}
	c := r.Conf().Clone()
	mapreduce.SetOutputPath(c, out)
	if err := (mapreduce.TextOutput{}).Check(ctx, &mapreduce.Env{Conf: c, FS: r.FS()}); err != nil {
		return err
	}
	dir, base := path.Split(out)
	between := dir + "_grep-temp." + base
	defer remove(r, between)

	mapreduce.SetInputPaths(c, in)
	c.Set(keyPattern, pattern, "grep")
	c.Set(keyGroup, group, "grep")
	mapreduce.SetOutputPath(c, between)
	if _, err := r.Run(ctx, search, c); err != nil {
		return err
	}
	c = r.Conf().Clone()
	// The files by name: their directory is hidden, so that nobody takes it for a result.
	mapreduce.SetInputPaths(c, between+"/part-*")
	c.Set(mapreduce.KeyReduces, "1", "grep")
	mapreduce.SetOutputPath(c, out)
	_, err := r.Run(ctx, sort, c)
	return err
}

func usage(err error) error { return failure.New(failure.Usage, "grep", "", err) }

// remove deletes what was between the jobs, also when ctx has ended.
func remove(r mapreduce.Runner, dir string) {
	if fs, name, err := r.FS().Resolve(dir); err == nil {
		_ = fs.Delete(context.Background(), name, true)
	}
}

func compile(pattern, group string) (*regexp.Regexp, int, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, 0, fmt.Errorf("%w; the syntax is RE2's: no look-around, no back references", err)
	}
	n, err := strconv.Atoi(group)
	if err != nil || n < 0 || n > re.NumSubexp() {
		return nil, 0, fmt.Errorf("group %q: the expression has groups 0 to %d", group, re.NumSubexp())
	}
	return re, n, nil
}

// matcher emits a group of every match.
type matcher struct {
	re    *regexp.Regexp
	group int
}

func (m *matcher) Setup(c *mapreduce.Context) (err error) {
	m.re, m.group, err = compile(c.Conf.Get(keyPattern), c.Conf.Get(keyGroup))
	return err
}

func (m *matcher) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int64]) error {
	line = mapreduce.JavaString(line)
	if !m.re.Match(line) { // much cheaper than the search for groups
		return nil
	}
	for _, at := range m.re.FindAllSubmatchIndex(line, -1) {
		if from, to := at[2*m.group], at[2*m.group+1]; from >= 0 {
			out.Emit(line[from:to], 1)
		}
	}
	return out.Err()
}

// invert turns a match and its count around.
func invert(_ *mapreduce.Context, match mapreduce.Text, n int64, out *mapreduce.Out[int64, mapreduce.Text]) error {
	out.Emit(n, match)
	return nil
}
