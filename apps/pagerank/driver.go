package pagerank

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/fixed"
	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

type driver struct{ graph, round, ranks *mapreduce.Job }

type options struct {
	rounds           int
	damping, epsilon float64
	in               []string
	out              string
}

func (d *driver) run(ctx context.Context, r mapreduce.Runner, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return err
	}
	if err := steps.NeedReduces(r.Conf()); err != nil {
		return err
	}
	if err := dir.Refuse(ctx, r.FS(), o.out); err != nil {
		return err
	}
	s := rounds{r: r, damping: int64(math.Round(o.damping * million))}
	at := o.out + "/round-0"
	if err := s.job(ctx, d.graph, strings.Join(o.in, ","), at); err != nil {
		return err
	}
	if s.pages = s.counter(counterPages); s.pages == 0 {
		return failure.New(failure.NotFound, "rank pages", strings.Join(o.in, ","), errors.New("the input has no pages"))
	}
	for n := 1; n <= o.rounds; n++ {
		next := fmt.Sprintf("%s/round-%d", o.out, n)
		if err := s.job(ctx, d.round, at, next); err != nil {
			return err
		}
		// Only the last round's links are needed, and only until the ranks exist.
		if err := dir.Delete(ctx, r.FS(), at); err != nil {
			return err
		}
		at = next
		moved := float64(s.counter(counterMoved)) / float64(fixed.One) / float64(s.pages)
		fmt.Fprintf(r.Stdout(), "round %d: ranks of %d pages changed by %.9f on average\n", n, s.pages, moved)
		if moved <= o.epsilon {
			break
		}
	}
	if err := s.job(ctx, d.ranks, at, o.out+"/ranks"); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout(), "ranks: %s\n", o.out+"/ranks")
	return dir.Delete(ctx, r.FS(), at)
}

// rounds is the state that the jobs of a run share. damping is in millionths. pages is 0 until the
// first job has counted the pages. last is the result of the latest job.
type rounds struct {
	r              mapreduce.Runner
	damping, pages int64
	last           *mapreduce.Result
}

func (s *rounds) job(ctx context.Context, j *mapreduce.Job, in, out string) (err error) {
	c := s.r.Conf().Clone()
	mapreduce.SetInputPaths(c, in)
	mapreduce.SetOutputPath(c, out)
	c.Set(keyDamping, strconv.FormatInt(s.damping, 10), "pagerank")
	if s.pages > 0 {
		c.Set(keyPages, strconv.FormatInt(s.pages, 10), "pagerank")
		c.Set(keyHeld, strconv.FormatInt(s.counter(counterHeld), 10), "pagerank")
	}
	if n, fixed := j.Conf[conf.JobReduces.Name]; fixed { // users cannot change the number of reduces
		c.Set(conf.JobReduces.Name, n, "pagerank")
	}
	s.last, err = s.r.Run(ctx, j, c)
	return err
}

// counter returns the value of the last job's counter called name, or 0 if no task incremented it.
func (s *rounds) counter(name string) int64 {
	n, _ := s.last.Counters.Get(group, name)
	return n
}

func parseArgs(args []string) (o options, err error) {
	f := flag.NewFlagSet("pagerank", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.rounds, "rounds", 10, "maximum number of rounds, 1 to 1000")
	f.Float64Var(&o.damping, "damping", float64(conf.PageRankDamping.BuiltIn())/1e6,
		"share of rank that follows links, 0 to 1")
	f.Float64Var(&o.epsilon, "epsilon", 0, "stop when ranks change by at most this on average")
	if err := f.Parse(args); err != nil {
		return o, usage(err)
	}
	rest := f.Args()
	switch {
	case len(rest) < 2:
		return o, usage(errors.New("want at least one input and an output"))
	case o.rounds < 1 || o.rounds > 1000:
		return o, usage(fmt.Errorf("-rounds %d: want 1 to 1000", o.rounds))
	case !(o.damping >= 0 && o.damping <= 1):
		return o, usage(fmt.Errorf("-damping %g: want 0 to 1", o.damping))
	case !(o.epsilon >= 0):
		return o, usage(fmt.Errorf("-epsilon %g: want 0 or more", o.epsilon))
	}
	o.in, o.out = rest[:len(rest)-1], strings.TrimRight(rest[len(rest)-1], "/")
	return o, nil
}

func usage(err error) error { return failure.New(failure.Usage, "pagerank", "", err) }
