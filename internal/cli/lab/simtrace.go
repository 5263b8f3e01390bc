package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/db"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// workload is a trace that can be read any number of times.
type workload struct {
	name, origin string
	nodes        []trace.Node
	slots        [2]int32
	changes      []trace.Change
	jobs         int   // -1 means unknown
	damaged      int64 // number of skipped places in the input
	odd          [2]int
	rated        bool // SWIM's options determine the tasks and their times
	open         func(context.Context) (trace.Source, func() error, error)
}

// These are the indexes of workload.odd, which counts unusual jobs.
const (
	unsuccessful = iota
	skewed
)

// keepTasks is the number of tasks up to which a trace is kept in memory. A larger trace is read
// again for each run.
const keepTasks = 4_000_000

// importFlags returns the flags for reading traces.
func importFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "drop-idle", Usage: "remove the gaps in which no job ran"},
		&urfave.Float64Flag{Name: "map-rate", Usage: "SWIM: `MB/s` that a map reads", Value: 5,
			Category: "SWIM's tables have no times:"},
		&urfave.Float64Flag{Name: "shuffle-rate", Usage: "SWIM: `MB/s` that a reduce fetches", Value: 5,
			Category: "SWIM's tables have no times:"},
		&urfave.Float64Flag{Name: "reduce-rate", Usage: "SWIM: `MB/s` that a reduce reads and writes", Value: 5,
			Category: "SWIM's tables have no times:"},
		&urfave.Float64Flag{Name: "overhead", Usage: "SWIM: additional `MS` per task", Value: 2000,
			Category: "SWIM's tables have no times:"},
		&urfave.Float64Flag{Name: "spread", Usage: "SWIM: coefficient of variation of times",
			Category: "SWIM's tables have no times:"},
		&urfave.Int64Flag{Name: "block-size", Usage: "SWIM: `BYTES` of input for one map", Value: 64 << 20,
			Category: "SWIM's tables have no times:"},
		&urfave.Int64Flag{Name: "bytes-per-reduce", Usage: "SWIM: `BYTES` of shuffle and output for one reduce",
			Value: 64 << 20, Category: "SWIM's tables have no times:"},
		&urfave.BoolFlag{Name: "map-only", Usage: "SWIM: give jobs without shuffle no reduces",
			Category: "SWIM's tables have no times:"},
	}
}

func importOptions(c *urfave.Context) (importer.Options, error) {
	o := importer.Options{Name: c.String("name"), DropIdle: c.Bool("drop-idle"), SWIM: importer.Rates{
		Map: c.Float64("map-rate"), Shuffle: c.Float64("shuffle-rate"), Reduce: c.Float64("reduce-rate"),
		Overhead: c.Float64("overhead"), Spread: c.Float64("spread"),
		Block: c.Int64("block-size"), BytesPerReduce: c.Int64("bytes-per-reduce"), MapOnly: c.Bool("map-only"),
		Seed: c.Uint64("seed")}}
	for _, name := range []string{"map-rate", "shuffle-rate", "reduce-rate"} {
		if x := c.Float64(name); !(x > 0) || x > 1e9 {
			return o, usageError("--%s=%g: want more than 0 and at most 1e9", name, x)
		}
	}
	for _, name := range []string{"overhead", "spread"} {
		if x := c.Float64(name); !(x >= 0) || x > 1e9 {
			return o, usageError("--%s=%g: want 0 to 1e9", name, x)
		}
	}
	for _, name := range []string{"block-size", "bytes-per-reduce"} {
		if n := c.Int64(name); n < 1 {
			return o, usageError("--%s=%d: want at least 1", name, n)
		}
	}
	return o, nil
}

// load opens a trace in a file, in the trace database, or at the address of a JobTracker. It prints
// notes about damaged places and unusual jobs.
func (s *session) load(c *urfave.Context, what string) (*workload, error) {
	o, err := importOptions(c)
	if err != nil {
		return nil, err
	}
	var w *workload
	switch {
	case isAddress(what):
		w, err = s.fetch(c.Context, what, o)
	case isFile(what):
		w, err = fromFiles([]string{what}, o)
	default:
		w, err = s.fromDB(c, what, o)
	}
	if err != nil {
		return nil, err
	}
	if !w.rated {
		if err := needless(c, notSwim, swimOptions...); err != nil {
			return nil, err
		}
	}
	if w.jobs == 0 {
		return nil, failure.New(failure.Usage, "read trace", what, errors.New("it has no jobs"))
	}
	if w.damaged > 0 {
		s.note("%s: skipped %s; howdah sim import %s lists them", w.name, plural.Of(w.damaged, "damaged place"),
			what)
	}
	if w.odd != [2]int{} {
		s.note("%s: %d jobs did not succeed, and %d have tasks before their submission (inconsistent clocks)", w.name,
			w.odd[unsuccessful], w.odd[skewed])
	}
	return w, nil
}

func isAddress(what string) bool {
	return strings.HasPrefix(what, "http://") || strings.HasPrefix(what, "https://")
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fromFiles reads a trace from files. It keeps the trace in memory unless it is too large.
func fromFiles(paths []string, o importer.Options) (*workload, error) {
	im, err := importer.Open(paths, o)
	if err != nil {
		return nil, err
	}
	defer im.Close()
	again := func(context.Context) (trace.Source, func() error, error) {
		im, err := importer.Open(paths, o)
		if err != nil {
			return nil, nil, err
		}
		return im, im.Close, nil
	}
	return keep(im, again)
}

// keep reads an opened trace into memory. If the trace is too large, keep reads only the beginning,
// and each run reopens the trace with the function again. If again is nil, keep reads traces of any
// size into memory.
func keep(im *importer.Import, again func(context.Context) (trace.Source, func() error, error)) (*workload, error) {
	w := &workload{name: im.Name, origin: im.Origin, nodes: im.Nodes, slots: im.Slots, changes: im.Changes, jobs: im.Jobs,
		rated: im.Rated(),
		open:  again}
	t := &trace.Trace{}
	tasks := 0
	for tasks <= keepTasks || again == nil {
		j, err := im.Next()
		if err == io.EOF {
			w.jobs, w.damaged = len(t.Jobs), im.Damaged
			w.open = func(context.Context) (trace.Source, func() error, error) {
				return t.Source(), func() error { return nil }, nil
			}
			return w, nil
		}
		if err != nil {
			return nil, err
		}
		tasks += len(j.Maps) + len(j.Reduces)
		t.Jobs = append(t.Jobs, j)
		w.count(j)
	}
	w.damaged = im.Damaged
	return w, nil
}

func (w *workload) count(j *trace.Job) {
	if j.State != job.Succeeded {
		w.odd[unsuccessful]++
	}
	if j.Skewed {
		w.odd[skewed]++
	}
}

// fetch reads the history of a live JobTracker. It leaves out unfinished jobs, because their
// remaining work is unknown.
func (s *session) fetch(ctx context.Context, address string, o importer.Options) (*workload, error) {
	answer, err := s.get(ctx, "read trace", address, "journal")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if o.Name == "" {
		o.Name = answer.Request.URL.Host
	}
	body := &whole{r: answer.Body}
	im, err := importer.OpenStream(o.Name, body, o)
	if body.err != nil {
		return nil, failure.New(failure.Unreachable, "read trace", address,
			fmt.Errorf("the response is incomplete: %w", body.err)).Fix("try again")
	}
	if err != nil {
		return nil, err
	}
	im.Jobs = -1
	w, err := keep(im, nil)
	if err != nil {
		return nil, err
	}
	return w.onlyEnded(ctx)
}

// get requests a page of a JobTracker, with the user's proof of identity. The caller closes the body.
func (s *session) get(ctx context.Context, action, address, page string) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, failure.New(failure.Usage, action, address, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath(page).String(), nil)
	if err != nil {
		return nil, failure.New(failure.Usage, action, address, err)
	}
	c, err := s.generic.Load()
	if err != nil {
		return nil, err
	}
	web, err := rpc.FindWeb(c, func(c *conf.Config) (string, certs.Role, error) {
		addr, err := client.Address(c)
		return addr, certs.JobTracker, err
	})
	if err != nil {
		return nil, err
	}
	answer, err := web.Do(r, certs.JobTracker, action, address,
		"use the address of the JobTracker's web page, such as http://host:50030")
	if err != nil {
		return nil, err
	}
	err = auth.Refusal(action, address, answer)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = failure.New(failure.Unreachable, action, address,
			errors.New(answer.Status)).Fix("use the address of the JobTracker's web page, such as " +
			"http://host:50030, or https://host:50030 with TLS")
	}
	if err != nil {
		answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// whole is a reader that records any error other than io.EOF. Without whole, the importer would
// treat a stream that ends early as a truncated file.
type whole struct {
	r   io.Reader
	err error
}

func (w *whole) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// onlyEnded removes unfinished jobs from w and returns w.
func (w *workload) onlyEnded(ctx context.Context) (*workload, error) {
	src, done, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	t := &trace.Trace{}
	w.odd = [2]int{}
	for {
		j, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errors.Join(err, done())
		}
		if j.State.Terminal() {
			t.Jobs = append(t.Jobs, j)
			w.count(j)
		}
	}
	w.jobs = len(t.Jobs)
	w.open = func(context.Context) (trace.Source, func() error, error) {
		return t.Source(), func() error { return nil }, nil
	}
	return w, done()
}

func (s *session) fromDB(c *urfave.Context, name string, o importer.Options) (*workload, error) {
	missing := failure.New(failure.NotFound, "find trace", name,
		errors.New("no file or stored trace has this name")).
		Fix("howdah sim list lists stored traces, howdah sim import stores one")
	if !hasDB(c) {
		return nil, missing
	}
	d, err := s.openDB(c, false)
	if err != nil {
		return nil, err
	}
	t, err := d.Find(c.Context, name)
	if err != nil {
		d.Close()
		if failure.Is(err, failure.NotFound) {
			return nil, missing
		}
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	w := &workload{name: t.Name, origin: t.Origin, nodes: t.Nodes, slots: t.Slots, jobs: t.Jobs}
	w.open = func(ctx context.Context) (trace.Source, func() error, error) {
		d, err := db.Open(ctx, c.String("db"), false)
		if err != nil {
			return nil, nil, err
		}
		src := d.Jobs(ctx, t)
		if o.DropIdle {
			src = importer.DropIdle(src)
		}
		return src, d.Close, nil
	}
	return w, nil
}
