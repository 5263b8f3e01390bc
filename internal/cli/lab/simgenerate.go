package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
	"github.com/howdah/howdah/simulator/trace/db"
	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func (s *session) simGenerate() *urfave.Command {
	const shape, deadlines = "Arrivals:", "Deadlines and size:"
	return &urfave.Command{
		Name: "generate", Usage: "generate a trace", ArgsUsage: "testbed|facebook|custom|TRACE",
		Description: `testbed   jobs of SimMR's six applications on three datasets each
facebook  jobs with the sizes and task times of Facebook in 2009
custom    jobs with the distributions of --maps, --map-time and similar options
TRACE     jobs like those of a trace
Distributions: constant(c) uniform(low,high) exponential(mean) lognormal(mu,sigma) normal(mean,sd)
weibull(shape,scale) gamma(shape,scale). Times are in ms.`,
		Flags: append([]urfave.Flag{
			&urfave.IntFlag{Name: "jobs", Usage: "number of jobs", Value: 100},
			&urfave.Uint64Flag{Name: "seed", Usage: "seed of every random stream", Value: 1},
			&urfave.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the trace to `FILE` (.gz " +
				"compresses it) instead of the trace database"},
			&urfave.StringFlag{Name: "name", Usage: "`NAME` in the trace database (default: the kind of workload)"},
			&urfave.BoolFlag{Name: "replace", Usage: "replace an existing trace or file of this name"},
			&urfave.StringFlag{Name: "arrivals", Usage: "kind of arrivals: exponential, bursty, shaped, or " +
				"a distribution of gaps in ms",
				Category: shape},
			&urfave.Float64Flag{Name: "mean-gap", Usage: "mean of `S` seconds between submissions",
				DefaultText: "that of the kind of workload", Category: shape},
			&urfave.IntFlag{Name: "burstiness", Usage: "bursty: level from 0 to 3", Value: 2, Category: shape},
			&urfave.StringFlag{Name: "shape", Usage: "shaped: `FILE` of arrival rates at equal intervals " +
				"of a day, one number per line", Category: shape},
			&urfave.Float64Flag{Name: "deadline-factor", Usage: "deadline of each job, from 1 to `DF` " +
				"times its duration on an idle cluster", DefaultText: "no deadlines",
				Category: deadlines},
			&urfave.IntFlag{Name: "deadline-slots", Usage: "slots of each kind of the idle cluster",
				Value: generate.TestbedSlots, Category: deadlines},
			&urfave.Float64Flag{Name: "scale-tasks", Usage: "factor for the number of tasks per job", Value: 1,
				Category: deadlines},
			&urfave.Float64Flag{Name: "scale-time", Usage: "factor for the duration of tasks", Value: 1, Category: deadlines},
			&urfave.Float64Flag{Name: "scale-gap", Usage: "factor for the time between submissions", Value: 1,
				Category: deadlines},
			&urfave.BoolFlag{Name: "variance", Usage: "facebook: the second parameter of the paper's fits is a variance",
				Category: "Kinds:"},
			&urfave.StringFlag{Name: "maps", Usage: "custom: distribution of the number of maps per job",
				Value: "lognormal(3,1)", Category: "Kinds:"},
			&urfave.StringFlag{Name: "reduces", Usage: "custom: distribution of the number of reduces per job",
				Value: "uniform(0,8)", Category: "Kinds:"},
			&urfave.StringFlag{Name: "map-time", Usage: "custom, facebook: distribution of map times", Category: "Kinds:"},
			&urfave.StringFlag{Name: "shuffle-time", Usage: "custom: distribution of shuffle times", Value: "constant(5000)",
				Category: "Kinds:"},
			&urfave.StringFlag{Name: "reduce-time", Usage: "custom, facebook: distribution of reduce times", Category: "Kinds:"},
			dbFlag(), arguments.JSONFlag(),
		}, importFlags()...),
		Action: s.generateSim,
	}
}

func (s *session) generateSim(c *urfave.Context) error {
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	if n := c.Int("jobs"); n < 1 || n > 100_000_000 {
		return usageError("--jobs=%d: want 1 to 100000000", n)
	}
	for _, name := range []string{"scale-tasks", "scale-time", "scale-gap"} {
		if x := c.Float64(name); !(x > 0 && x <= 1e6) {
			return usageError("--%s=%g: want more than 0, at most 1e6", name, x)
		}
	}
	if err := needlessForKind(c, what); err != nil {
		return err
	}
	out, err := newOutput("write trace", c.String("out"), c.Bool("replace"))
	if err != nil {
		return err
	}
	arrivals, err := arrivalsOf(c)
	if err != nil {
		return err
	}
	src, err := s.generator(c, what, arrivals)
	if err != nil {
		return err
	}
	src = generate.Scale(src, generate.Scaling{Tasks: c.Float64("scale-tasks"), Time: c.Float64("scale-time"),
		Gap: c.Float64("scale-gap")})
	if src, err = withDeadlines(c, src); err != nil {
		return err
	}
	name := c.String("name")
	name = cmp.Or(name, what)
	if out != nil {
		if err := needless(c, "with --out", "json"); err != nil {
			return err
		}
		return s.writeTrace(out, codec.Header{Name: name, Origin: "generated"}, src)
	}
	return s.storeGenerated(c, name, src)
}

func (s *session) storeGenerated(c *urfave.Context, name string, src trace.Source) error {
	d, err := s.openDB(c, true)
	if err != nil {
		return err
	}
	defer d.Close()
	t, err := d.Put(c.Context, db.Trace{Name: name, Origin: "generated", Imported: time.Now()}, src, c.Bool("replace"))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return s.json(traceJSON(t))
	}
	fmt.Fprintf(s.out, "%s: %s, %s, %s over %.1f hours\n", t.Name, plural.Of(t.Jobs, "job"),
		plural.Of(t.Maps, "map"), plural.Of(t.Reduces, "reduce"),
		float64(t.Last-t.First)/3600e3)
	return nil
}

// arrivalsOf returns the arrivals that the options select. If the options select none, it returns
// nil, which means the default arrivals for the kind of workload.
func arrivalsOf(c *urfave.Context) (generate.Arrivals, error) {
	if err := needlessForArrivals(c); err != nil {
		return nil, err
	}
	gap := c.Float64("mean-gap") * 1000
	if c.IsSet("mean-gap") && !(gap > 0 && gap < 1e12) {
		return nil, usageError("--mean-gap=%g: want more than 0 s", gap/1000)
	}
	kind := c.String("arrivals")
	if kind == "" && gap == 0 {
		return nil, nil
	}
	gap = cmp.Or(gap, 14e3)
	switch kind {
	case "", "exponential":
		return generate.Poisson(gap), nil
	case "bursty":
		level := c.Int("burstiness")
		if level < 0 || level > 3 {
			return nil, usageError("--burstiness=%d: want 0 to 3", level)
		}
		return &generate.Bursty{Mean: gap, Level: level}, nil
	case "shaped":
		return shapedArrivals(c.String("shape"), gap)
	}
	d, err := dist.Parse(kind)
	if err != nil {
		return nil, err
	}
	return generate.Gaps{Between: d}, nil
}

const day = 24 * 3600e3

// shapedArrivals returns arrivals whose rate changes over a day, as specified in the file at path.
// gap is the mean time between arrivals, in ms.
func shapedArrivals(path string, gap float64) (generate.Arrivals, error) {
	if path == "" {
		return nil, usageError("--arrivals=shaped needs --shape FILE")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read shape", path, err)
	}
	var curve []float64
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		x, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, failure.New(failure.Usage, "read shape", fmt.Sprintf("%s:%d", path, n),
				fmt.Errorf("%q is not a number", line))
		}
		curve = append(curve, x)
	}
	return generate.NewShaped(gap, day, curve)
}

// generator returns a source of jobs for a kind of workload. If what does not name a kind, it names
// a trace, and the jobs resemble those of the trace.
func (s *session) generator(c *urfave.Context, what string, arrivals generate.Arrivals) (trace.Source, error) {
	n, seed := c.Int("jobs"), c.Uint64("seed")
	switch what {
	case "testbed":
		return generate.TestbedLike(n, arrivals, seed), nil
	case "facebook":
		f := generate.Facebook{Jobs: n, Arrivals: arrivals, Variance: c.Bool("variance"), Seed: seed}
		var err error
		if f.Map, err = optional(c.String("map-time")); err != nil {
			return nil, err
		}
		if f.Reduce, err = optional(c.String("reduce-time")); err != nil {
			return nil, err
		}
		return f.Source(), nil
	case "custom":
		return customSource(c, arrivals)
	}
	for _, w := range s.parts.Workloads {
		if w.Name == what {
			return w.New(n, arrivals, seed), nil
		}
	}
	w, err := s.load(c, what)
	if err != nil {
		return nil, err
	}
	var jobs []*trace.Job
	tasks := 0
	err = w.each(c.Context, func(j *trace.Job) error {
		if tasks += len(j.Maps) + len(j.Reduces); tasks > 10*keepTasks {
			return failure.New(failure.Limit, "generate", what, errors.New("the trace is too large to use "+
				"as a model"))
		}
		jobs = append(jobs, j)
		return nil
	})
	return generate.Like(jobs, n, arrivals, seed), err
}

func optional(s string) (dist.Dist, error) {
	if s == "" {
		return nil, nil
	}
	return dist.Parse(s)
}

func customSource(c *urfave.Context, arrivals generate.Arrivals) (trace.Source, error) {
	parse := func(name, standard string) (dist.Dist, error) {
		text := c.String(name)
		text = cmp.Or(text, standard)
		return dist.Parse(text)
	}
	k := generate.Custom{Jobs: c.Int("jobs"), Arrivals: arrivals, Seed: c.Uint64("seed"), Wave: c.Int("deadline-slots"),
		Tasks: generate.Application{Name: "custom"}}
	if k.Arrivals == nil {
		k.Arrivals = generate.Poisson(14e3)
	}
	for _, f := range []struct {
		to             *dist.Dist
		name, standard string
	}{
		{&k.Maps, "maps", ""}, {&k.Reduces, "reduces", ""}, {&k.Tasks.Map, "map-time", "lognormal(9.9511,1.6764)"},
		{&k.Tasks.First, "shuffle-time", ""}, {&k.Tasks.Typical, "shuffle-time", ""},
		{&k.Tasks.Reduce, "reduce-time", "lognormal(10,1)"},
	} {
		d, err := parse(f.name, f.standard)
		if err != nil {
			return nil, err
		}
		*f.to = d
	}
	return k.Source(), nil
}

// withDeadlines returns src with deadlines added to its jobs if the user specifies a factor, and
// src itself otherwise.
func withDeadlines(c *urfave.Context, src trace.Source) (trace.Source, error) {
	if !c.IsSet("deadline-factor") {
		return src, nil
	}
	df, n := c.Float64("deadline-factor"), c.Int("deadline-slots")
	if !(df >= 1 && df <= 1e6) || n < 1 || n > 1_000_000 {
		return nil, usageError("--deadline-factor=%g --deadline-slots=%d: want a factor of 1 to 1e6 and 1 to 1000000 slots",
			df, n)
	}
	f := &feed{src: src}
	f.src = generate.Deadlines(src, 1, df, c.Uint64("seed"), func(j *trace.Job) int64 {
		t, err := lab.Alone(c.Context, j, [2]int32{int32(n), int32(n)})
		if err != nil && f.err == nil {
			f.err = err
		}
		return t
	})
	return f, nil
}
