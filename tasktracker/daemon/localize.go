package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/waits"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/streaming"
	"github.com/howdah/howdah/tasktracker"
)

// probe is a file in the JobTracker's system directory. A node that can read it shares the
// JobTracker's storage.
type probe struct{ path, text string }

// localJob is the TaskTracker's state for one job.
type localJob struct {
	seq    int32
	ctx    context.Context // canceled when the job ends
	cancel context.CancelFunc
	done   chan struct{} // closed when localizing has succeeded or failed

	// The fields below are set before done is closed and do not change afterward.
	id      string
	info    *wire.JobInfo
	program string           // local path of the program for the children
	home    string           // below one local directory
	waits   *waits.Plan      // set if the job's attempts only wait inside the TaskTracker; nil if they are processes
	cache   *distcache.Lease // the job's files in the distributed cache; nil if it has none
	fs      dfs.Resolver     // the job's file systems; see actFor
	tokens  string           // local path of the job's credentials file; "" if it has none
	account *account.Account // account that runs the job's tasks; nil means the TaskTracker's user

	preserving preserving
	vcores     [2]int64 // vcores of a map and of a reduce; 0 means 1
	logLimit   int64    // limit in bytes for each of an attempt's logs; 0 means no limit
	ownLogs    bool     // each attempt logs to files of its own
	lateACLs   bool     // discard, not the first attempt, saves who may read the logs
	class      string   // see classOf

	mu        sync.Mutex
	preserved map[string]bool // attempts whose files are kept
	spares    []spare         // empty directories for the next attempts of children
	roots     []string        // the job's directories below all local directories that it uses

	leave sync.Once     // guards discard
	gone  chan struct{} // closed when all files of the job have been removed

	outputs *completions // nil until the first reducer of the job starts
}

// startLocalizing fetches a job's files in the background and posts the result.
func (d *Daemon) startLocalizing(seq int32) {
	ctx, cancel := context.WithCancel(d.base)
	j := &localJob{seq: seq, ctx: ctx, cancel: cancel, done: make(chan struct{}), gone: make(chan struct{})}
	d.jobs[seq] = j
	before := d.leaving[seq]
	probe, tracker := d.line.probe, d.line.tracker
	d.work.Go(func() {
		if before != nil {
			<-before.gone // its directories would have the same names
		}
		err := d.localize(ctx, j, tracker, probe)
		close(j.done)
		in := tasktracker.Input{Kind: tasktracker.InJobReady, Job: seq}
		var r refusal
		switch {
		case err == nil:
			in.JobInfo = tasktracker.JobInfo{Timeout: j.info.GetTaskTimeout(), TasksPerChild: j.info.GetTasksPerChild(),
				OwnProgram: d.runsItself(j), Class: j.class}
		case errors.As(err, &r):
			in.Kind, in.Text = tasktracker.InJobRefused, r.Error()
		default:
			in.Kind, in.Failure, in.Text = tasktracker.InJobFailed, failure.KindOf(err), err.Error()
		}
		if err != nil {
			d.discard(j)
		}
		d.ask(func() {
			if d.jobs[seq] != j {
				return // canceled; the job may be localizing again
			}
			if err != nil {
				d.log.Warn("cannot localize job", "job", j.id, "err", err)
				delete(d.jobs, seq)
			}
			d.step(&in)
		})
	})
}

// runsItself reports whether the TaskTracker's own program runs the job's tasks in processes.
func (d *Daemon) runsItself(j *localJob) bool {
	return j.waits == nil && j.program == d.cfg.Program.Path
}

// classOf returns the class of jobs that may share children with j, one after another, or "" if j
// must have children of its own. Jobs share children only if howdah's own code runs their tasks,
// because this code leaves nothing behind in the process. The commands of a streaming job may leave
// processes. The control group of a child keeps its limits between two attempts, so maps and reduces
// must have equal limits.
func (d *Daemon) classOf(j *localJob) string {
	info := j.info
	if !d.runsItself(j) || info.GetJobName() == streaming.JobName || j.cache != nil || j.ownLogs ||
		info.GetMapMemoryMb() != info.GetReduceMemoryMb() || j.vcores[job.Map] != j.vcores[job.Reduce] {
		return ""
	}
	return fmt.Sprintf("%d MiB, %d vcores, user %s", info.GetMapMemoryMb(), j.vcores[job.Map], info.GetUser())
}

// refusal is an error that means that this node cannot run any of the job's attempts.
type refusal struct{ error }

func (d *Daemon) localize(ctx context.Context, j *localJob, tracker int32, p probe) error {
	// Attempts do not fail because the JobTracker is down. They wait for their files until it is
	// back.
	err := d.jt.insist(ctx, func(ctx context.Context, c wire.TrackersClient) (err error) {
		j.info, err = c.GetJob(ctx, &wire.GetJobRequest{Tracker: tracker, Job: j.seq})
		return err
	})
	if err != nil {
		return err
	}
	if err := j.check(); err != nil {
		return err
	}
	j.lateACLs = !j.info.GetAcls() && !d.cfg.ACLs.Enabled
	if j.account, err = d.cfg.Users.accountOf(j.info.GetUser()); err != nil {
		return err
	}
	d.remains.reuse(j.id)
	if err := d.checkStorage(ctx, j, p); err != nil {
		return err
	}
	local, err := d.dirs.pick()
	if err != nil {
		return err
	}
	if j.home, err = j.use(local); err != nil {
		return err
	}
	if err := d.canEnter(j.account); err != nil {
		return err
	}
	release, err := d.actFor(j)
	if err != nil {
		return err
	}
	defer release()
	xml, err := j.localizeConf(ctx)
	if err != nil {
		return err
	}
	if j.waits, err = waits.InTrackerPlan(j.info.GetJobName(), xml); err != nil {
		return err
	}
	if j.waits == nil {
		if err := d.localizeProgram(ctx, j, local); err != nil {
			return err
		}
	}
	if err := d.localizeWishes(ctx, j, xml); err != nil {
		return err
	}
	j.class = d.classOf(j)
	return d.served.add(j)
}

func (j *localJob) check() error {
	id, err := job.ParseID(j.info.GetId())
	if err != nil || id.Seq != j.seq {
		return failure.New(failure.Corrupt, "localize job", j.info.GetId(), err)
	}
	j.id = j.info.GetId()
	return checkUser(j.info.GetUser())
}

// use creates the job's directory below local, a local directory. It records the new directory for
// the purge and returns its path. After the purge has begun, it returns an error of kind Killed.
func (j *localJob) use(local string) (dir string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	dir = jobHome(local, j.info.GetUser(), j.id)
	if err := j.ctx.Err(); err != nil {
		return "", failure.New(failure.Killed, "create job directory", dir, err)
	}
	if slices.Contains(j.roots, dir) {
		return dir, nil
	}
	if err := makeDirs(filepath.Join(local, trackerDir), dir, j.account); err != nil {
		return "", err
	}
	j.roots = append(j.roots, dir)
	return dir, nil
}

// checkStorage rejects a job that uses file: paths if this node does not share the JobTracker's
// storage.
func (d *Daemon) checkStorage(ctx context.Context, j *localJob, p probe) error {
	local := false
	for _, dir := range []string{j.info.GetStagingDir(), j.info.GetOutputDir()} {
		if dir == "" {
			continue
		}
		fs, _, err := d.cfg.FS.Resolve(dir)
		if err != nil {
			return err
		}
		local = local || fs.Scheme() == "file"
	}
	if !local || p.path == "" {
		return nil
	}
	text, err := d.readProbe(ctx, p.path, len(p.text))
	if err == nil && text == p.text {
		return nil
	}
	if err == nil {
		err = errors.New("the file differs from the file that the JobTracker wrote")
	}
	return refusal{failure.New(failure.Config, "read", p.path,
		fmt.Errorf("TaskTracker %s does not see the JobTracker's storage: %w", d.name, err)).
		Fix("put input, output and mapreduce.jobtracker.system.dir on storage that all nodes share, or use HDFS")}
}

func (d *Daemon) readProbe(ctx context.Context, name string, size int) (string, error) {
	f, err := open(ctx, d.cfg.FS, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(size)+1))
	return string(b), err
}

// purge cancels localizing and removes the job's files in the background. It keeps the job's logs.
func (d *Daemon) purge(seq int32) {
	j := d.jobs[seq]
	if j == nil {
		return
	}
	delete(d.jobs, seq)
	d.leaving[seq] = j
	d.work.Go(func() {
		d.discard(j)
		d.ask(func() {
			if d.leaving[seq] == j {
				delete(d.leaving, seq)
			}
		})
	})
}

// discard cancels the job's work, waits for localizing to end, and removes the job's own
// directories. It does not remove their parents, because the user's other jobs may be creating
// directories there. The retention time of the job's logs starts at this point. If access control
// lists are off, discard saves who may read the logs, in case they are on after a restart. Only the
// first call has an effect.
func (d *Daemon) discard(j *localJob) {
	j.leave.Do(func() {
		defer close(j.gone)
		j.cancel()
		<-j.done
		logs := filepath.Join(d.cfg.LogDir, userLogs, j.id)
		now := time.Now()
		if err := os.Chtimes(logs, now, now); err == nil && j.lateACLs { // else no attempt has logged
			if err := saveACLs(logs, j.info); err != nil {
				d.log.Warn("cannot save who may read the logs of a job", "job", j.id, "err", err)
			}
		}
		d.served.drop(j)
		j.cache.Release()
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, dir := range j.roots {
			j.removeRoot(dir)
		}
		d.noteRemains(j)
		d.outputs.Release()
	})
}
