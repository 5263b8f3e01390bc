// Package runner runs a program's jobs on a JobTracker, on YARN, or in this process, as configured.
// The root package and the command line share it.
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

// Config configures a Runner. Conf, FS, and Stdout are required.
type Config struct {
	Conf   *conf.Config
	FS     dfs.Resolver
	Stdout io.Writer // receives the results
	Log    io.Writer // log of tasks in this process; nil discards it
	// Watcher, for example a Lines, shows a job while it runs. nil shows nothing.
	Watcher Watcher
	// KillOnInterrupt makes Run kill a cluster job when ctx is canceled. Otherwise, the job
	// continues.
	KillOnInterrupt bool
	// Background makes Run return as soon as a JobTracker accepts the job, while the job is still
	// running. It has no effect for jobs on YARN or in this process.
	Background bool
}

// Watcher shows jobs one after another. Calls do not overlap.
type Watcher interface {
	// Started is called after the job is accepted. url is "" for a job in this process.
	Started(id job.ID, url string)
	// Hint is called at most once, directly after Started, with advice that makes the job faster.
	Hint(text string)
	// Progress is called repeatedly while the job runs. maps and reduces are fractions from 0 to 1.
	Progress(maps, reduces float32)
	// Waits is called when the JobTracker reports another reason why the job waits.
	Waits(why string)
	// Attempt is called for the ended attempts that mapreduce.client.output.filter selects, by
	// default the failed ones. On YARN, it is called only for failed attempts, and only if the key
	// selects them. It is never called for a job in this process.
	Attempt(e AttemptEvent)
	// Ended is called at most once, after Started. It is not called if Run returns before the job
	// ends, for example for a job in the background or after Ctrl-C.
	Ended(r *mapreduce.Result)
}

// AttemptEvent is an event about the end of an attempt.
type AttemptEvent struct {
	Attempt job.AttemptID
	State   job.AttemptState
	Text    string // reason for the end
	Log     string // end of the attempt's standard error; "" if unknown
}

// New returns a Runner. If mapreduce.framework.name is yarn, jobs run on YARN. If it is set to
// local, or mapreduce.jobtracker.address names no JobTracker, jobs run in this process. For an
// unknown framework the error is of kind Config.
func New(c Config) (mapreduce.Runner, error) {
	switch strings.TrimSpace(conf.FrameworkName.Get(c.Conf)) {
	case "yarn":
		return &yarnRunner{newBase(c)}, nil
	case "", "local", "classic":
	default:
		return nil, c.Conf.Refuse(conf.FrameworkName.Name, errors.New("want local, classic or yarn"))
	}
	if Local(c.Conf) {
		return &localRunner{newBase(c)}, nil
	}
	return newClusterRunner(newBase(c))
}

// Local reports whether jobs that do not run on YARN run in this process, either because no
// JobTracker is named or because its address or the framework's name is set to "local".
func Local(c *conf.Config) bool {
	addr := strings.TrimSpace(conf.JobTrackerAddress.Get(c))
	if addr == "" || addr == "local" {
		return true
	}
	return strings.TrimSpace(conf.FrameworkName.Get(c)) == "local" && !c.IsDefault(conf.FrameworkName.Name)
}

// base contains the fields that all runners share.
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

// watcher returns a new Watcher for one job, because several jobs can run concurrently.
func (b *base) watcher() *turn { return &turn{all: b.turns} }

// told wraps an error that the Watcher has already shown.
type told struct{ error }

func (s told) Unwrap() error { return s.error }

// Told reports whether the user has already seen the error, because the watcher printed the job's
// result.
func Told(err error) bool {
	var s told
	return errors.As(err, &s)
}

// mark wraps err in told if a job failed or was killed and there is a Watcher, because the Watcher
// has already shown this.
func (b *base) mark(err error) error {
	if k := failure.KindOf(err); b.Watcher != nil && (k == failure.Failed || k == failure.Killed) {
		return told{err}
	}
	return err
}

type silent struct{}

func (silent) Started(job.ID, string)    {}
func (silent) Hint(string)               {}
func (silent) Progress(_, _ float32)     {}
func (silent) Waits(string)              {}
func (silent) Attempt(AttemptEvent)      {}
func (silent) Ended(r *mapreduce.Result) {}

// ended returns an error if r says that the job did not succeed, and nil otherwise.
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
