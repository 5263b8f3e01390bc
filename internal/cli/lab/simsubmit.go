package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/asleep"
)

func (s *session) simSubmit() *urfave.Command {
	return &urfave.Command{
		Name: "submit", Usage: "replay a trace on the live cluster with jobs whose tasks take their " +
			"recorded times",
		ArgsUsage: "TRACE",
		Description: "Submits each job at its recorded time. The tasks take their recorded times. " +
			"--speedup divides both.\n--load selects what the tasks do. With -D " + conf.SleepInTracker.Name +
			"=true,\nTaskTrackers sleep themselves and do not start a process for each task.",
		Flags: append([]urfave.Flag{
			&urfave.Float64Flag{Name: "speedup", Usage: "replay `X` times as fast as recorded", Value: 1},
			&urfave.StringFlag{Name: "load", Usage: "work of the tasks: sleep, cpu, or io", Value: "sleep"},
			&urfave.IntFlag{Name: "at-once", Usage: "maximum number of unfinished jobs", Value: 200},
			&urfave.BoolFlag{Name: "dry-run", Usage: "print the jobs instead of submitting them"},
			dbFlag(),
		}, importFlags()...),
		Action: s.submitSim,
	}
}

// submission is the replay of a trace on a cluster.
type submission struct {
	howdah  string // path of the executable
	conf    *conf.Config
	dir     string // directory of the jobs' configurations
	load    string
	speedup float64
	tell    func(format string, args ...any)

	first  int64
	mu     sync.Mutex
	failed int
}

func (s *session) submitSim(c *urfave.Context) error {
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	if x := c.Float64("speedup"); !(x > 0 && x <= 1e6) {
		return usageError("--speedup=%g: want more than 0, at most 1e6", x)
	}
	if n := c.Int("at-once"); n < 1 || n > 10_000 {
		return usageError("--at-once=%d: want 1 to 10000", n)
	}
	x := &submission{load: c.String("load"), speedup: c.Float64("speedup"), first: -1,
		tell: func(f string, a ...any) { fmt.Fprintf(s.out, f+"\n", a...) }}
	if x.conf, err = s.config(); err != nil {
		return err
	}
	if err := x.check(); err != nil {
		return err
	}
	w, err := s.load(c, what)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return x.dry(c.Context, w)
	}
	if _, err := client.Address(x.conf); err != nil && conf.MRClusterName.Get(x.conf) == "" {
		return err
	}
	if x.howdah, err = howdah(); err != nil {
		return err
	}
	if x.dir, err = os.MkdirTemp("", "howdah-submit-"); err != nil {
		return failure.New(failure.IO, "submit trace", "", err)
	}
	defer os.RemoveAll(x.dir)
	if err := x.replay(c.Context, w, c.Int("at-once")); err != nil {
		return err
	}
	if x.failed > 0 {
		s.code = 1
		s.note("%d of %d jobs failed", x.failed, w.jobs)
	}
	return nil
}

func (x *submission) check() error {
	switch x.load {
	case "sleep":
	case "cpu", "io":
		if x.conf.Get(conf.SleepInTracker.Name) == "true" {
			return usageError("--load=%s and %s=true cannot be combined: a TaskTracker can only sleep for "+
				"its tasks",
				x.load, conf.SleepInTracker.Name)
		}
	default:
		return usageError("--load=%s: want sleep, cpu or io", x.load)
	}
	return nil
}

// replay submits each job that has maps and waits until all submitted jobs have ended. It submits a
// job at its scheduled time or, if atOnce jobs are unfinished then, when one of them ends.
func (x *submission) replay(ctx context.Context, w *workload, atOnce int) error {
	room := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	defer all.Wait()
	start := time.Now()
	n := 0
	return w.each(ctx, func(j *trace.Job) error {
		if len(j.Maps) == 0 {
			x.tell("%s skipped: it has no maps", j.ID)
			return nil
		}
		n++
		file, args, err := x.job(j, n)
		if err != nil {
			return err
		}
		select {
		case <-time.After(time.Until(start.Add(x.due(j)))):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		all.Go(func() {
			defer func() { <-room }()
			x.run(ctx, j, file, args)
		})
		return nil
	})
}

// due returns the scheduled time of a job, relative to the first job and divided by the speedup.
func (x *submission) due(j *trace.Job) time.Duration {
	if x.first < 0 {
		x.first = j.Submit
	}
	return time.Duration(float64(j.Submit-x.first)/x.speedup) * time.Millisecond
}

// run runs howdah for one job, reports the result, and removes the job's configuration file.
func (x *submission) run(ctx context.Context, j *trace.Job, file string, args []string) {
	defer os.Remove(file)
	started := time.Now()
	cmd := exec.CommandContext(ctx, x.howdah, append([]string{"run", "-q", "-conf", file, "sleep"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.failed++
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		x.tell("%s %s failed: %v: %s", j.ID, j.Name, err, lines[len(lines)-1])
		return
	}
	x.tell("%s %s took %.1f s", j.ID, j.Name, time.Since(started).Seconds())
}

// job writes a configuration file for a job. It returns the name of the file and the arguments of
// the sleep application.
func (x *submission) job(j *trace.Job, n int) (file string, args []string, err error) {
	file = filepath.Join(x.dir, strconv.Itoa(n)+".xml")
	f, err := os.Create(file)
	if err != nil {
		return "", nil, failure.New(failure.IO, "submit trace", file, err)
	}
	err = x.settings(j).WriteXML(f, true)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", nil, failure.New(failure.IO, "submit trace", file, err)
	}
	return file, asleep.Arguments(j), nil
}

// times returns the options that determine how long the tasks sleep.
func (x *submission) times() asleep.Options {
	return asleep.Options{Speed: x.speedup, InTracker: x.conf.Get(conf.SleepInTracker.Name) == "true"}
}

// settings returns the configuration of a job. It combines the session's configuration, the job's
// settings in the trace, and the times of the job's tasks.
func (x *submission) settings(j *trace.Job) *conf.Config {
	c := x.conf.Clone()
	x.times().Configure(c, j)
	if x.load != "sleep" {
		c.Set(conf.SleepLoad.Name, x.load, "trace")
	}
	return c
}

// dry prints the jobs without submitting them.
func (x *submission) dry(ctx context.Context, w *workload) error {
	return w.each(ctx, func(j *trace.Job) error {
		c := x.settings(j)
		x.tell("%8.1f s  %s %s: sleep %s, maps %s ms, reduces %s ms", x.due(j).Seconds(), j.ID, j.Name,
			strings.Join(asleep.Arguments(j), " "), cut(conf.SleepMapTimes.Get(c), 40), cut(conf.SleepReduceTimes.Get(c), 40))
		return nil
	})
}
