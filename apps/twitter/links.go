// Package twitter analyzes users' followers. Links counts links that are not reciprocated (SimMR,
// section IV-C). Rank orders users by their followers and tweets (MROrchestrator, section III).
package twitter

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Counters of the twitter application.
const (
	group             = "Twitter"
	counterLinks      = "LINKS"
	counterAsymmetric = "ASYMMETRIC_LINKS"
)

// Links returns the application that counts asymmetric links. A line of input is "I BLANK J", which
// means that user I follows user J. The output consists of the lines "asymmetric TAB N" and "links
// TAB N". Each distinct link counts once. Links from a user to the same user do not count.
func Links() *mapreduce.App {
	pairs := &mapreduce.Job{
		Name:     "twitter-pairs",
		Mapper:   mapreduce.MapFunc(pair),
		Combiner: mapreduce.ReduceFunc(directions),
		Reducer:  mapreduce.ReduceOf(func() *counter { return &counter{} }),
	}
	total := &mapreduce.Job{
		Name:    "twitter-total",
		Mapper:  mapreduce.MapFunc(readCount),
		Reducer: mapreduce.Sum[int64](),
		Conf:    map[string]string{conf.JobReduces.Name: "1"},
	}
	return &mapreduce.App{
		Name:  "twitter",
		Short: "counts the links of a graph that are not returned",
		Usage: "<in>… <out>",
		Jobs:  []*mapreduce.Job{pairs, total},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) < 2 {
				return failure.New(failure.Usage, "twitter", "", errors.New("want at least one input and an output"))
			}
			s, err := steps.Begin(ctx, r, "twitter", args[len(args)-1])
			if err != nil {
				return err
			}
			defer s.End()
			counts, res, err := s.Middle(ctx, pairs, strings.Join(args[:len(args)-1], ","), nil)
			if err != nil {
				return err
			}
			if _, err := s.Final(ctx, total, counts, nil); err != nil {
				return err
			}
			n, _ := res.Counters.Get(group, counterAsymmetric)
			all, _ := res.Counters.Get(group, counterLinks)
			_, err = fmt.Fprintf(r.Stdout(), "%d of %d links are asymmetric\n", n, all)
			return err
		},
	}
}

// Directions of a link between two users, as bits.
const (
	upward   = 1 // from the smaller to the greater number
	downward = 2
)

// edge parses a line. ok is false for an empty line or a line that begins with #.
func edge(line string) (from, to int64, ok bool, err error) {
	f := strings.Fields(line)
	if len(f) == 0 || f[0][0] == '#' {
		return 0, 0, false, nil
	}
	if len(f) == 2 {
		if from, err = strconv.ParseInt(f[0], 10, 64); err == nil && from >= 0 {
			if to, err = strconv.ParseInt(f[1], 10, 64); err == nil && to >= 0 {
				return from, to, true, nil
			}
		}
	}
	return 0, 0, false, fmt.Errorf("%q is not a pair of users", line)
}

// pair emits the direction of a link under a key that both directions share. It ignores links from a
// user to the same user.
func pair(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
	from, to, ok, err := edge(line)
	if err != nil || !ok || from == to {
		return err
	}
	way := int32(upward)
	if from > to {
		from, to, way = to, from, downward
	}
	out.Emit(strconv.FormatInt(from, 10)+" "+strconv.FormatInt(to, 10), way)
	return nil
}

func both(ways iter.Seq[int32]) (all int32) {
	for w := range ways {
		all |= w
	}
	return all
}

func directions(_ *mapreduce.Context, key string, ways iter.Seq[int32], out *mapreduce.Out[string, int32]) error {
	out.Emit(key, both(ways))
	return nil
}

// counter counts links and emits the counts at the end.
type counter struct{ links, asymmetric int64 }

func (n *counter) Reduce(_ *mapreduce.Context, _ string, ways iter.Seq[int32], _ *mapreduce.Out[string, int64]) error {
	n.links++
	if both(ways) == upward|downward {
		n.links++
	} else {
		n.asymmetric++
	}
	return nil
}

func (n *counter) Cleanup(c *mapreduce.Context, out *mapreduce.Out[string, int64]) error {
	for name, v := range map[string]int64{counterLinks: n.links, counterAsymmetric: n.asymmetric} {
		k, err := c.Counter(group, name)
		if err != nil {
			return err
		}
		k.Add(v)
	}
	out.Emit("asymmetric", n.asymmetric)
	out.Emit("links", n.links)
	return nil
}

// readCount emits the name and the count from a "NAME TAB N" line of the first job.
func readCount(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int64]) error {
	name, n, _ := strings.Cut(line, "\t")
	v, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a count", line)
	}
	out.Emit(name, v)
	return nil
}
