// Package loadgen uses CPU time, memory, and disk space according to a Profile, to test how tasks
// share resources. App returns the application.
package loadgen

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const (
	keyMap    = "howdah.loadgen.map.profile"
	keyReduce = "howdah.loadgen.reduce.profile"
	keySteps  = "howdah.loadgen.steps"
	keySkew   = "howdah.loadgen.skew"
	keyLive   = "howdah.loadgen.skew.live"
	keySeed   = "howdah.loadgen.seed"
)

// maxSteps is the maximum number of steps in a task, which conf.LoadGenSteps enforces.
const maxSteps = 100_000

// App returns the loadgen application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:        "loadgen",
		Input:       ranges.Input{Cut: cut},
		Output:      mapreduce.NullOutput{},
		Mapper:      mapreduce.MapOf(func() *mapper { return &mapper{} }),
		Reducer:     mapreduce.ReduceOf(func() *reducer { return &reducer{} }),
		Partitioner: byReducer,
	}
	return &mapreduce.App{
		Name:  "loadgen",
		Short: "uses CPU time, memory and disk according to a profile",
		Usage: "[-m MAPS] [-r REDUCES] [-map PROFILE] [-reduce PROFILE] [-steps N] [-skew 0..1] [-skewlive " +
			"0..1] [-seed N]\nPROFILE is a list of phases separated by ;, such as " +
			"cpu=5s,memory=200m,live=60m,trash=1g;wait=1s,write=256m,read=1g",
		Jobs: []*mapreduce.Job{j},
		Run:  func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	f := flag.NewFlagSet("loadgen", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	maps := f.Int64("m", 1, "maps")
	reduces := f.Int64("r", 0, "reduces")
	mapProfile := f.String("map", "cpu=1s", "profile of a map")
	reduceProfile := f.String("reduce", "cpu=1s", "profile of a reduce")
	steps := f.Int64("steps", conf.LoadGenSteps.BuiltIn(), "number of steps of a task")
	skew := f.Float64("skew", 0, "variation of the work of tasks")
	live := f.Float64("skewlive", 0, "variation of the live objects of tasks")
	seed := f.Int64("seed", 1, "of the skew")
	err := f.Parse(args)
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	case *maps < 1 || *maps > 1e6 || *reduces < 0 || *reduces > 1e5:
		err = errors.New("want 1 to 1000000 maps and 0 to 100000 reduces")
	}
	if err != nil {
		return failure.New(failure.Usage, "loadgen", "", err)
	}
	c := r.Conf().Clone()
	for key, value := range map[string]string{
		conf.JobMaps.Name: strconv.FormatInt(*maps, 10), conf.JobReduces.Name: strconv.FormatInt(*reduces, 10),
		keyMap: *mapProfile, keyReduce: *reduceProfile, keySteps: strconv.FormatInt(*steps, 10),
		keySkew: strconv.FormatFloat(*skew, 'g', -1, 64), keyLive: strconv.FormatFloat(*live, 'g', -1, 64),
		keySeed: strconv.FormatInt(*seed, 10),
	} {
		c.Set(key, value, "loadgen")
	}
	for _, key := range []string{keyMap, keyReduce} { // rejects bad profiles before the job starts
		if _, err := readPlan(c, key); err != nil {
			return err
		}
	}
	_, err = r.Run(ctx, j, c)
	return err
}

// plan describes the work of all tasks of one type.
type plan struct {
	profile Profile
	steps   int64
	skew    float64
	live    float64 // skew of live objects
	seed    int64
}

func readPlan(c *conf.Config, key string) (p plan, err error) {
	if p.profile, err = ParseProfile(c.Get(key)); err != nil {
		return p, c.Refuse(key, err)
	}
	if p.steps, err = conf.LoadGenSteps.Get(c); err != nil {
		return p, err
	}
	if p.steps < int64(len(p.profile)) {
		return p, c.Refuse(keySteps, fmt.Errorf("want at least %d, the number of phases", len(p.profile)))
	}
	if p.skew, err = conf.LoadGenSkew.Get(c); err != nil {
		return p, err
	}
	if p.live, err = conf.LoadGenSkewLive.Get(c); err != nil {
		return p, err
	}
	p.seed, err = conf.LoadGenSeed.Get(c)
	return p, err
}

// cut creates a split for each map. A split has one record for each step, so that progress follows
// the work.
func cut(c *conf.Config) ([]ranges.Range, error) {
	maps, err := conf.JobMaps.Get(c)
	if err != nil {
		return nil, err
	}
	p, err := readPlan(c, keyMap)
	if err != nil {
		return nil, err
	}
	out := make([]ranges.Range, maps)
	for i := range out {
		out[i] = ranges.Range{First: int64(i) * p.steps, Count: p.steps}
	}
	return out, nil
}

// steps does the work of a task, step by step.
type steps struct {
	plan
	worker worker
	next   int64
}

// streamLive makes the skew of live objects independent of the skew of work.
const streamLive = 1 << 40

func (s *steps) setup(c *mapreduce.Context, key string, kind uint64) (err error) {
	if s.plan, err = readPlan(c.Conf, key); err != nil {
		return err
	}
	task := uint64(c.Partition())<<1 | kind
	s.profile = s.profile.Scaled(factors(s.seed, task, s.skew, s.plan.live))
	return nil
}

func (s *steps) step(c *mapreduce.Context) error {
	c.SetStatus(fmt.Sprintf("step %d of %d", s.next+1, s.steps))
	work := s.profile.Step(min(s.next, s.steps-1), s.steps)
	s.next++
	return s.worker.do(c.Context(), work)
}

type mapper struct {
	steps
	reduceSteps int64
}

func (m *mapper) Setup(c *mapreduce.Context) error {
	p, err := readPlan(c.Conf, keyReduce)
	m.reduceSteps = p.steps
	if err != nil {
		return err
	}
	return m.setup(c, keyMap, 0)
}

// Map does one step of the map's work. In addition, the first map sends each reducer a group for
// each of the reducer's steps.
func (m *mapper) Map(c *mapreduce.Context, n int64, _ mapreduce.Null, out *mapreduce.Out[int64, mapreduce.Null]) error {
	if n == 0 {
		for i := range int64(c.Task().Reduces) {
			for s := range m.reduceSteps {
				out.Emit(i<<32|s, mapreduce.Null{})
			}
		}
	}
	return m.step(c)
}

// Cleanup releases memory and the file because other tasks can follow in this process.
func (m *mapper) Cleanup(*mapreduce.Context, *mapreduce.Out[int64, mapreduce.Null]) error {
	m.worker.close()
	return nil
}

type reducer struct{ steps }

func (r *reducer) Setup(c *mapreduce.Context) error { return r.setup(c, keyReduce, 1) }

func (r *reducer) Reduce(c *mapreduce.Context, _ int64, _ iter.Seq[mapreduce.Null],
	_ *mapreduce.Out[mapreduce.Null, mapreduce.Null]) error {
	return r.step(c)
}

// Cleanup releases memory and the file.
func (r *reducer) Cleanup(*mapreduce.Context, *mapreduce.Out[mapreduce.Null, mapreduce.Null]) error {
	r.worker.close()
	return nil
}

// byReducer returns a partitioner that sends each key to the reducer whose number is in the key's
// upper half.
func byReducer(*mapreduce.Env, mapreduce.Type) (mapreduce.Partitioner, error) {
	return toReducer{}, nil
}

type toReducer struct{}

func (toReducer) Partition(key, _ []byte, n int) int {
	return int(binary.BigEndian.Uint32(key)) % n
}
