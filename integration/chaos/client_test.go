//go:build integration

package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// application is a program with arguments.
type application struct {
	name  string // name of the program
	input string
	args  func(in, out string) []string
	want  map[string]string // part files of the reference
}

// prepared holds what all clients share.
type prepared struct {
	dir     string
	program string // chaosjobs
	apps    []application
}

// prepare writes inputs, builds the jobs' program, and runs each application once in this process for
// the reference.
func (r *run) prepare() *prepared {
	p := &prepared{dir: r.t.TempDir()}
	p.program = filepath.Join(p.dir, "chaosjobs")
	out, err := exec.Command("go", "build", "-o", p.program, "./testdata/chaosjobs").CombinedOutput()
	require.NoError(r.t, err, string(out))
	plain := func(in, out string) []string { return []string{in, out} }
	p.apps = []application{
		{name: "wordcount", input: "words", args: plain},
		{name: "ids", input: "ids", args: plain},
		{name: "sort", input: "pairs", args: plain},
		{name: "grep", input: "words", args: func(in, out string) []string { return []string{in, out, "w1[0-9]*"} }},
		{name: "streaming", input: "words", args: func(in, out string) []string {
			return []string{"-input", in, "-output", out, "-mapper", "sh -c 'sleep 0.5; tr \" \" \"\\n\"; sleep 0.3'",
				"-reducer", "sh -c 'uniq -c; sleep 0.5'"}
		}},
	}
	p.writeInputs(r)
	for i := range p.apps {
		a := &p.apps[i]
		out := filepath.Join(p.dir, "reference", a.name)
		c := conf.New()
		c.Set("mapreduce.job.reduces", "2", "chaos")
		fs, err := dfslocal.Resolver(c)
		require.NoError(r.t, err)
		local, err := runner.New(runner.Config{Conf: c, FS: fs, Stdout: io.Discard})
		require.NoError(r.t, err)
		require.NoError(r.t, a.app().Run(context.Background(), local, a.args(filepath.Join(p.dir, a.input), out)))
		a.want = parts(out)
		require.NotEmpty(r.t, a.want)
	}
	return p
}

func (a *application) app() *mapreduce.App {
	for _, p := range Programs() {
		if app := p.App(); app.Name == a.name {
			return app
		}
	}
	panic(a.name)
}

// writeInputs writes three inputs of four files. The reference of ids follows from its input alone.
func (p *prepared) writeInputs(r *run) {
	draw := rand.New(rand.NewPCG(*seed, 1<<60))
	for _, kind := range []string{"words", "ids", "pairs"} {
		require.NoError(r.t, os.Mkdir(filepath.Join(p.dir, kind), 0o755))
		for f := range 4 {
			var b strings.Builder
			for line := range 40 {
				switch kind {
				case "words":
					for range 1 + draw.IntN(6) {
						fmt.Fprintf(&b, "w%d ", int(draw.ExpFloat64()*20))
					}
				case "ids":
					fmt.Fprintf(&b, "id-%08x-%d-%d", draw.Uint32(), f, line)
				case "pairs":
					fmt.Fprintf(&b, "k%d\tv%d-%d", draw.IntN(50), f, line)
				}
				b.WriteByte('\n')
			}
			require.NoError(r.t, os.WriteFile(filepath.Join(p.dir, kind, fmt.Sprint("f", f)), []byte(b.String()), 0o644))
		}
	}
}

// customer is a client that runs one application after another.
type customer struct {
	*run
	p    *prepared
	name string
	r    *rand.Rand
	x    *client.Client
	conf *conf.Config
	fs   dfs.Resolver
}

func (r *run) customer(p *prepared, i int) *customer {
	x := &customer{run: r, p: p, name: fmt.Sprintf("c%d", i+1), r: rand.New(rand.NewPCG(*seed, 1<<61+uint64(i)))}
	x.conf, x.fs = r.conf(r.forClients.Addr())
	x.x = r.dial(r.forClients.Addr())
	return x
}

// conf returns the configuration and the file systems of a client that reaches the JobTracker at
// the given address.
func (r *run) conf(jobTracker string) (*conf.Config, dfs.Resolver) {
	c := conf.New()
	for _, name := range []string{"core-site.xml", "mapred-site.xml"} {
		require.NoError(r.t, c.LoadFile(filepath.Join(r.c.Conf, name)))
	}
	c.Set("mapreduce.jobtracker.address", jobTracker, "chaos")
	fs, err := dfslocal.Resolver(c)
	require.NoError(r.t, err)
	return c, fs
}

func (r *run) dial(jobTracker string) *client.Client {
	c, fs := r.conf(jobTracker)
	x, err := client.Dial(c, fs)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { x.Close() })
	return x
}

// work runs applications until the faults end. The last application starts before the faults end.
func (x *customer) work(ctx context.Context, faultsEnd <-chan struct{}) {
	for n := 1; ; n++ {
		select {
		case <-faultsEnd:
			return
		default:
		}
		a := &x.p.apps[x.r.IntN(len(x.p.apps))]
		key := fmt.Sprintf("%s-%04d-%s", x.name, n, a.name)
		out := filepath.Join(x.p.dir, "out", key)
		w := &worker{customer: x, key: key, out: out, want: a.want, files: x.fs, kill: -1, conf: x.conf.Clone()}
		w.twice, w.hasty = x.r.IntN(8) == 0, x.r.IntN(8) == 0
		if x.r.IntN(8) == 0 {
			w.kill = time.Duration(x.r.IntN(4000)) * time.Millisecond
		}
		w.conf.Set("mapreduce.job.reduces", "2", "chaos")
		w.conf.Set(keyMillis, fmt.Sprint(5+x.r.IntN(20)), "chaos")
		err := a.app().Run(ctx, w, a.args(filepath.Join(x.p.dir, a.input), out))
		if err != nil && !errors.Is(err, errOver) {
			x.t.Errorf("%s: %v", key, err)
		}
		if ctx.Err() != nil {
			x.t.Errorf("%s did not end within %v after the last fault:\n%s", key, patience, x.h.Of(job.ID{}, w.jobKey()))
			return
		}
		if x.r.IntN(4) == 0 {
			x.list(ctx)
		}
	}
}

func (x *customer) list(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	e := &Event{Client: x.name, Op: List, Begin: x.h.Now()}
	list, err := x.x.List(ctx, status.Filter{All: true})
	e.answer(x.h, list, err)
}

// answer completes an event with the answer to its call and records it.
func (e *Event) answer(h *History, jobs []*status.Job, err error) {
	e.End, e.Answer, e.Jobs = h.Now(), Told, jobs
	if err != nil {
		e.Why, e.Answer = err.Error(), Refused
		switch kind := failure.KindOf(err); {
		case kind == failure.Unreachable, kind == failure.Timeout, kind == failure.Interrupted, kind == failure.Unknown,
			errors.Is(err, context.Canceled): // the client gave up, but the JobTracker may have carried out the request
			e.Answer = Unknown
		case kind == failure.NotFound && e.Op != Submit:
			e.Answer = NotFound
		}
	}
	h.Add(e)
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		op   Op
		err  error
		want Answer
	}{
		{Kill, nil, Told},
		{Kill, fmt.Errorf("call Kill: %w", context.Canceled), Unknown},
		{Kill, failure.New(failure.Timeout, "call Kill of", "127.0.0.1:1", nil), Unknown},
		{Kill, failure.New(failure.Permission, "kill", "job", nil), Refused},
		{Kill, failure.New(failure.NotFound, "kill", "job", nil), NotFound},
		{Submit, failure.New(failure.NotFound, "read", "job.xml", nil), Refused},
	} {
		e := &Event{Op: c.op}
		e.answer(NewHistory(), nil, c.err)
		assert.Equal(t, c.want, e.Answer, "%s: %v", c.op, c.err)
	}
}

// errOver means that a job was killed, or that the JobTracker lost the job because the journal lost
// facts.
var errOver = errors.New("the job was killed or lost")

// worker runs one application. It implements mapreduce.Runner and records every call.
type worker struct {
	*customer
	key   string
	n     int // jobs so far
	out   string
	want  map[string]string
	conf  *conf.Config
	files dfs.Resolver
	kill  time.Duration // when to kill each job after its submission; negative: never
	twice bool          // submit each job with two concurrent calls
	hasty bool          // abandon the first call early, and submit again
}

func (w *worker) Conf() *conf.Config { return w.conf }
func (w *worker) FS() dfs.Resolver   { return w.files }
func (w *worker) Stdout() io.Writer  { return io.Discard }
func (w *worker) jobKey() string     { return fmt.Sprintf("%s.%d", w.key, w.n) }

// Run submits a job repeatedly until the JobTracker accepts it. It then follows the job to its end.
func (w *worker) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	w.n++
	c.Set("mapreduce.job.name", w.jobKey(), "chaos")
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	c = j.Configure(c)
	env := &mapreduce.Env{Conf: c, FS: w.files}
	if err := errors.Join(j.Validate(c), j.OutputFormat().Check(ctx, env)); err != nil {
		return nil, err
	}
	splits, err := j.PlanSplits(ctx, env)
	if err != nil {
		return nil, err
	}
	id, err := w.submit(ctx, client.Job{Name: j.Name, Conf: c, Splits: splits, Program: w.p.program, Key: w.jobKey()})
	if err != nil {
		return nil, err
	}
	over, cancel := context.WithCancel(ctx)
	var killer sync.WaitGroup
	if w.kill >= 0 {
		killer.Go(func() { w.killJob(over, id) })
	}
	s, err := w.follow(ctx, id)
	cancel()
	killer.Wait()
	if err != nil {
		return nil, err
	}
	w.ended(s, conf.OutputFileOutputFormatOutputDir.Get(c))
	if s.State != job.Succeeded {
		return nil, errOver
	}
	return &mapreduce.Result{ID: id, State: s.State}, nil
}

// submit sends the submission repeatedly until an answer contains the job's ID.
func (w *worker) submit(ctx context.Context, j client.Job) (job.ID, error) {
	for hasty := w.hasty; ; hasty = false {
		limit := 6 * time.Second
		if hasty {
			limit = time.Duration(5+w.r.IntN(100)) * time.Millisecond
		}
		calls := []*client.Client{w.x}
		if w.twice {
			calls = append(calls, w.x)
		}
		events := make([]*Event, len(calls))
		var all sync.WaitGroup
		for i, x := range calls {
			all.Go(func() { events[i] = w.submitOnce(ctx, x, j, limit) })
		}
		all.Wait()
		for _, e := range events {
			if e.Answer == Told {
				return e.ID, nil
			}
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return job.ID{}, err
		}
	}
}

func (w *worker) submitOnce(ctx context.Context, x *client.Client, j client.Job, limit time.Duration) *Event {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e := &Event{Client: w.name, Op: Submit, Key: j.Key, Begin: w.h.Now()}
	s, err := x.Submit(ctx, j)
	if err == nil {
		e.ID = s.ID
	}
	e.answer(w.h, nil, err)
	return e
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return errOver
	case <-time.After(d):
		return nil
	}
}

// follow watches a job until it ends, and records every answer.
func (w *worker) follow(ctx context.Context, id job.ID) (*status.Job, error) {
	var version uint64
	for {
		e := w.status(ctx, id, version)
		if e.Answer == Told {
			s := e.Jobs[0]
			switch {
			case s.Name != w.jobKey():
				return nil, errOver // the ID was lost and names another job; otherwise, the check reports a violation
			case s.State.Terminal():
				return s, nil
			}
			version = s.Version
			continue
		}
		if e.Answer == NotFound {
			return nil, errOver
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (w *worker) status(ctx context.Context, id job.ID, version uint64) *Event {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	e := &Event{Client: w.name, Op: Status, ID: id, Begin: w.h.Now()}
	s, err := w.x.Status(ctx, id, status.Query{Version: version, Wait: 500 * time.Millisecond})
	if err != nil {
		e.answer(w.h, nil, err)
	} else {
		e.answer(w.h, []*status.Job{s}, nil)
	}
	return e
}

// killJob sends the kill repeatedly until an answer arrives or over ends.
func (w *worker) killJob(over context.Context, id job.ID) {
	for err := pause(over, w.kill); err == nil; err = pause(over, 200*time.Millisecond) {
		ctx, cancel := context.WithTimeout(over, 5*time.Second)
		e := &Event{Client: w.name, Op: Kill, ID: id, Begin: w.h.Now()}
		e.answer(w.h, nil, w.x.Kill(ctx, id, "chaos"))
		if cancel(); e.Answer != Unknown {
			return
		}
	}
}

// ended examines the output of a job that has ended. The reference is the output of the
// application's last job.
func (w *worker) ended(s *status.Job, out string) {
	f := finished{w.name, w.jobKey(), strings.TrimPrefix(out, "file:"), nil}
	if f.out == w.out {
		f.want = w.want
	}
	w.look(f)
	if f.want != nil && s.State == job.Succeeded {
		w.outs.Lock()
		defer w.outs.Unlock()
		w.done = append(w.done, f)
	}
}

// look records what a job's output directory contains.
func (r *run) look(f finished) {
	e := &Event{Client: f.customer, Op: Output, Key: f.key, Begin: r.h.Now(), Answer: Told}
	got := parts(f.out)
	_, err := os.Stat(filepath.Join(f.out, "_SUCCESS"))
	_, noTemporary := os.Stat(filepath.Join(f.out, "_temporary"))
	e.Files = Files{Success: err == nil, Parts: len(got), Temporary: noTemporary == nil, Kept: f.want != nil}
	if f.want != nil {
		e.Files.Wrong = differs(got, f.want)
	}
	e.End = r.h.Now()
	r.h.Add(e)
}

// parts reads the part files of an output.
func parts(dir string) map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != dir {
			return fs.SkipDir
		}
		if err == nil && strings.HasPrefix(d.Name(), "part-") {
			b, err := os.ReadFile(path)
			if err != nil {
				b = []byte(err.Error())
			}
			out[d.Name()] = string(b)
		}
		return nil
	})
	return out
}

func differs(got, want map[string]string) string {
	for name, text := range want {
		switch g, ok := got[name]; {
		case !ok:
			return name + " is missing"
		case g != text:
			return fmt.Sprintf("%s has %d bytes that differ from the reference of %d bytes", name, len(g), len(text))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			return name + " should not exist"
		}
	}
	return ""
}
