// Package runner runs the jobs of a driver where the configuration says: on a JobTracker or in this process. The root package
// (programs of one's own) and the command line share it.
package runner

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Config says how jobs are run and shown. Conf, FS and Stdout are required.
type Config struct {
	Conf   *conf.Config
	FS     dfs.Resolver
	Stdout io.Writer // results
	Log    io.Writer // what tasks in this process have to say; nil = nothing
	// Watcher shows a job while it runs; nil shows nothing. Lines is one.
	Watcher Watcher
	// KillOnInterrupt kills a cluster's job when ctx ends; otherwise it goes on without us.
	KillOnInterrupt bool
	// Background gives a cluster's job back as soon as it was accepted, still running.
	Background bool
}

// Watcher shows one job after the other. Its methods are not called at the same time.
type Watcher interface {
	// Started is called when the job was accepted; url is "" for one in this process.
	Started(id job.ID, url string)
	// Progress is called when it has changed, with shares from 0 to 1.
	Progress(maps, reduces float32)
	// Attempt is called for attempts that failed, or for all that mapreduce.client.output.filter wants to see.
	Attempt(e AttemptEvent)
	// Ended is called once, when the job was Started.
	Ended(r *mapreduce.Result)
}

// AttemptEvent tells how an attempt ended.
type AttemptEvent struct {
	Attempt job.AttemptID
	State   job.AttemptState
	Text    string // why
	Log     string // the end of what it wrote to standard error, "" if that is not known
}

// keyFramework says where jobs run: local, classic (a JobTracker) or yarn (an existing cluster of Apache Hadoop).
const keyFramework = "mapreduce.framework.name"

// New makes a Runner. mapreduce.framework.name=yarn means YARN; local, and no JobTracker at mapreduce.jobtracker.address, mean
// this process. Another framework is kind Config.
func New(c Config) (mapreduce.Runner, error) {
	switch strings.TrimSpace(c.Conf.Get(keyFramework)) {
	case "yarn":
		return &yarnRunner{newBase(c)}, nil
	case "", "local", "classic":
	default:
		return nil, c.Conf.Refuse(keyFramework, errors.New("want local, classic or yarn"))
	}
	if Local(c.Conf) {
		return &localRunner{newBase(c)}, nil
	}
	return newClusterRunner(newBase(c))
}

// Local reports whether jobs run in this process: no JobTracker is named. The framework's name alone makes no cluster, and
// "local" for either wins.
func Local(c *conf.Config) bool {
	addr := strings.TrimSpace(c.Get("mapreduce.jobtracker.address"))
	if addr == "" || addr == "local" {
		return true
	}
	return strings.TrimSpace(c.Get(keyFramework)) == "local" && !c.IsDefault(keyFramework)
}

// base is what both runners have.
type base struct {
	Config
	turns *turns
}

func newBase(c Config) base {
	if c.Watcher == nil {
		return base{c, &turns{to: silent{}}}
	}
	return base{c, &turns{to: c.Watcher}}
}

func (b *base) Conf() *conf.Config { return b.Config.Conf }
func (b *base) FS() dfs.Resolver   { return b.Config.FS }
func (b *base) Stdout() io.Writer  { return b.Config.Stdout }

// watcher gives the watcher of one job; several jobs may run at the same time.
func (b *base) watcher() *turn { return &turn{all: b.turns} }

// told marks the error of a job that the watcher has told of.
type told struct{ error }

func (s told) Unwrap() error { return s.error }

// Told reports whether the user has seen the error already: the watcher printed how the job ended.
func Told(err error) bool {
	var s told
	return errors.As(err, &s)
}

// mark marks the error of a job that the watcher told of.
func (b *base) mark(err error) error {
	if k := failure.KindOf(err); b.Watcher != nil && (k == failure.Failed || k == failure.Killed) {
		return told{err}
	}
	return err
}

type silent struct{}

func (silent) Started(job.ID, string)    {}
func (silent) Progress(_, _ float32)     {}
func (silent) Attempt(AttemptEvent)      {}
func (silent) Ended(r *mapreduce.Result) {}

// ended gives the error of a job by its result.
func ended(ctx context.Context, r *mapreduce.Result) error {
	if r.State == job.Succeeded {
		return nil
	}
	if ctx.Err() != nil {
		return interrupted(r.ID)
	}
	why := errors.New("it " + map[job.State]string{job.Failed: "failed", job.Killed: "was killed"}[r.State])
	if r.Diagnostics != "" {
		why = errors.New(r.Diagnostics)
	}
	kind := failure.Failed
	if r.State == job.Killed {
		kind = failure.Killed
	}
	return failure.New(kind, "run", r.ID.String(), why)
}

func interrupted(id job.ID) *failure.Error {
	return failure.New(failure.Interrupted, "run", id.String(), errors.New("interrupted"))
}
