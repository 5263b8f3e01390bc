package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/staging"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/naps"
	"github.com/howdah/howdah/tasktracker"
)

// probe is a file in the JobTracker's system directory, by which a node finds out whether it sees the same storage.
type probe struct{ path, text string }

// localJob is what the TaskTracker has of one job.
type localJob struct {
	seq    int32
	ctx    context.Context // ends with the job
	cancel context.CancelFunc
	done   chan struct{} // closed when localising has ended, one way or the other

	// Set before done is closed, constant afterwards.
	id      string
	info    *wire.JobInfo
	program string           // local path of what its children run
	home    string           // below one local directory
	naps    *naps.Plan       // its attempts sleep inside the TaskTracker; nil = they are processes
	cache   *distcache.Lease // its files of the distributed cache; nil = it has none
	fs      dfs.Resolver     // its files, in its user's name
	tokens  string           // local path of its credentials file; "" = it has none

	preserving preserving
	vcores     [2]int64 // of a map and of a reduce; 0 = 1

	mu        sync.Mutex
	preserved map[string]bool // attempts whose files stay
	roots     []string        // directories of the job below all local directories that it uses

	leave sync.Once     // discard happens once
	gone  chan struct{} // closed when nothing of it is left

	outputs *completions // nil until a reducer of the job runs
}

// startLocalising fetches a job's files in the background and posts how that went.
func (d *Daemon) startLocalising(seq int32) {
	ctx, cancel := context.WithCancel(d.base)
	j := &localJob{seq: seq, ctx: ctx, cancel: cancel, done: make(chan struct{}), gone: make(chan struct{})}
	d.jobs[seq] = j
	before := d.leaving[seq]
	probe, tracker := d.line.probe, d.line.tracker
	d.work.Go(func() {
		if before != nil {
			<-before.gone // its directories have the same names
		}
		err := d.localise(ctx, j, tracker, probe)
		close(j.done)
		in := tasktracker.Input{Kind: tasktracker.InJobReady, Job: seq}
		var r refusal
		switch {
		case err == nil:
			in.JobInfo = tasktracker.JobInfo{Timeout: j.info.GetTaskTimeout(), TasksPerChild: j.info.GetTasksPerChild(), OwnProgram: j.naps == nil && j.program == d.cfg.Program.Path}
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
				return // given up; another one may be on its way
			}
			if err != nil {
				d.log.Warn("job cannot be localised", "job", j.id, "err", err)
				delete(d.jobs, seq)
			}
			d.step(&in)
		})
	})
}

// refusal is an error that no second attempt on this node will cure.
type refusal struct{ error }

func (d *Daemon) localise(ctx context.Context, j *localJob, tracker int32, p probe) error {
	// No attempt fails because the JobTracker is away: it waits for its files until the JobTracker is back.
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
	if err := d.checkStorage(ctx, j, p); err != nil {
		return err
	}
	local, err := d.dirs.pick()
	if err != nil {
		return err
	}
	j.home = jobHome(local, j.info.GetUser(), j.id)
	if err := j.use(j.home); err != nil {
		return err
	}
	release, err := d.actFor(j)
	if err != nil {
		return err
	}
	defer release()
	if err := fetch(ctx, j.fs, j.info.GetStagingDir()+"/"+staging.ConfFile, filepath.Join(j.home, jobConf), 0o644); err != nil {
		return err
	}
	if j.naps, err = j.readNaps(); err != nil {
		return err
	}
	if j.naps == nil {
		if err := d.localiseProgram(ctx, j, local); err != nil {
			return err
		}
	}
	if err := d.localiseWishes(ctx, j); err != nil {
		return err
	}
	return d.served.add(j)
}

// readNaps tells how long the tasks of a job sleep that wants to do so inside the TaskTracker; nil = it does not.
func (j *localJob) readNaps() (*naps.Plan, error) {
	if j.info.GetJobName() != naps.JobName {
		return nil, nil
	}
	c := conf.New()
	if err := c.LoadFile(filepath.Join(j.home, jobConf)); err != nil {
		return nil, err
	}
	if in, err := c.Bool(naps.InTracker, false); err != nil || !in {
		return nil, err
	}
	plan, err := naps.Read(c)
	return &plan, err
}

func (j *localJob) check() error {
	id, err := job.ParseID(j.info.GetId())
	if err != nil || id.Seq != j.seq {
		return failure.New(failure.Corrupt, "localise job", j.info.GetId(), err)
	}
	j.id = j.info.GetId()
	return checkUser(j.info.GetUser())
}

// use makes a directory of the job and remembers it for the purge. After that it makes none.
func (j *localJob) use(dir string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ctx.Err(); err != nil {
		return failure.New(failure.Killed, "make job directory", dir, err)
	}
	for _, r := range j.roots {
		if r == dir {
			return nil
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make job directory", dir, err)
	}
	j.roots = append(j.roots, dir)
	return nil
}

// checkStorage refuses a job on file: paths when this node does not see the storage that the JobTracker sees.
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
		err = errors.New("the file is not the one that the JobTracker wrote")
	}
	return refusal{failure.New(failure.Config, "read", p.path, fmt.Errorf("TaskTracker %s does not see the JobTracker's storage: %w", d.name, err)).
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

// purge gives up localising and removes the job's files in the background. Its logs stay.
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

// discard removes the job's own directories and nothing above them: other jobs of the user are making theirs in there.
func (d *Daemon) discard(j *localJob) {
	j.leave.Do(func() {
		defer close(j.gone)
		j.cancel()
		<-j.done
		d.served.drop(j)
		j.cache.Release()
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, dir := range j.roots {
			j.removeRoot(dir)
		}
	})
}
