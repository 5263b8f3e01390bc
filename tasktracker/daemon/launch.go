package daemon

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// childBeat is the interval between a child's progress reports.
const childBeat = 250 * time.Millisecond

// launch is an attempt that is about to start in a child.
type launch struct {
	attempt job.Attempt
	offset  int64 // of a map's split in the job's file of splits
	job     *localJob
	feed    *completions // map outputs for a reducer; nil for other tasks
}

func (d *Daemon) launch(handle int32, a job.Attempt, offset int64) {
	j := d.jobs[a.Job]
	l := &launch{attempt: a, offset: offset, job: j}
	if a.Type == job.Reduce {
		if j.outputs == nil {
			j.outputs = newCompletions()
			ctx, tracker := j.ctx, d.line.tracker
			d.work.Go(func() { d.follow(ctx, a.Job, tracker, j.outputs) })
		}
		l.feed = j.outputs
	}
	d.children[handle].launch(l)
}

// prepare creates the attempt's directories and returns the launch message for the child c. For a
// map of a job with reduces, it also publishes the output directory.
func (l *launch) prepare(c *child) (*umbilical.Launch, error) {
	d, j, info := c.d, l.job, l.job.info
	id, err := job.ParseID(j.id)
	if err != nil {
		return nil, err
	}
	attemptID := l.attempt.ID(id.Cluster)
	attempt := attemptID.String()
	local, err := d.dirs.pick()
	if err != nil {
		return nil, err
	}
	home, err := j.use(local)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(home, attempt)
	shuffled := l.attempt.Type == job.Map && info.GetReduces() > 0
	// On some file systems, creating a directory takes much of the time of a small attempt.
	var logs string
	var group errgroup.Group
	group.Go(func() error { return j.makeAttempt(dir, shuffled, c.handle) })
	group.Go(func() (err error) {
		logs, err = c.logs.begin(d.cfg.LogDir, j, attempt)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	m := &umbilical.Launch{Attempt: attempt, JobName: info.GetJobName(), ConfPath: filepath.Join(j.home, jobConf),
		WorkDir: filepath.Join(dir, workDir), OutputDir: info.GetOutputDir(), MapOutputDir: filepath.Join(dir, outputDir),
		Reduces: info.GetReduces(), Maps: info.GetMaps(), MemoryMb: info.GetMapMemoryMb(), Token: info.GetToken(),
		BeatMillis: childBeat.Milliseconds(), LocalAddr: d.addr, LocalRoot: d.served.root, LogDir: logs,
		CredentialsPath: j.tokens, Ca: d.cfg.RPC.TLS.CA()}
	if info.GetSkips() {
		if m.Skips, err = d.skips(j.ctx, l.attempt); err != nil {
			return nil, err
		}
	}
	switch l.attempt.Type {
	case job.Map:
		m.SplitPath, m.SplitOffset = info.GetStagingDir()+"/"+staging.SplitFile, l.offset
		if shuffled {
			if err := d.served.publish(attemptID, m.MapOutputDir); err != nil {
				return nil, err
			}
		}
	case job.Cleanup:
		if m.Unclean, err = d.unclean(j.ctx, id.Cluster, j.seq); err != nil {
			return nil, err
		}
	case job.Reduce:
		m.MemoryMb = info.GetReduceMemoryMb()
	}
	return m, nil
}

// makeAttempt creates an attempt's directory dir with the working directory and, if shuffled, the
// map-output directory inside it. If dir exists, makeAttempt removes it first. It also links the
// files of the distributed cache into the working directory. If the child has a spare directory,
// makeAttempt uses it.
func (j *localJob) makeAttempt(dir string, shuffled bool, child int32) error {
	if err := owned.RemoveAll(context.Background(), dir); err != nil { // it belongs to no running attempt
		return failure.New(failure.KindOf(err), "remove", dir, err)
	}
	moved, err := j.moveSpare(dir, child)
	if err != nil {
		return err
	}
	var made []string
	if !moved {
		made = append(made, filepath.Join(dir, workDir))
	}
	if shuffled {
		made = append(made, filepath.Join(dir, outputDir))
	}
	for _, p := range made {
		if err := os.Mkdir(p, 0o700); err != nil {
			return failure.New(failure.KindOf(err), "create attempt directory", p, err)
		}
		if filepath.Base(p) == workDir {
			if err := j.cache.Link(p); err != nil {
				return err
			}
		}
		if err := give(p, j.account); err != nil {
			return err
		}
	}
	return nil
}

// clean removes an attempt's scratch files in the background. If keep is set, it keeps the map
// output that reducers will fetch. If the attempt has not failed, its child can use its directories
// again. clean removes nothing if the job preserves the attempt's files.
func (d *Daemon) clean(a job.Attempt, keep, failed bool) {
	j := d.jobs[a.Job]
	if j == nil {
		return // the purge removes all files
	}
	var child int32
	if !failed && j.reuses() {
		child = d.childOf(a)
	}
	d.work.Go(func() {
		j.clean(a, keep, failed, child)
		if a.Type == job.Map && !keep && j.info.GetReduces() > 0 {
			d.outputs.Release() // a reducer may have fetched the output
		}
	})
}

// childOf returns the handle of the child whose last attempt is a, or 0 if there is none.
func (d *Daemon) childOf(a job.Attempt) int32 {
	for handle, r := range d.children {
		if c, ok := r.(*child); ok && c.latest() == a {
			return handle
		}
	}
	return 0
}

// clean implements Daemon.clean. If child is not 0, it keeps the emptied working directory for that
// child.
func (j *localJob) clean(a job.Attempt, keep, failed bool, child int32) {
	id, err := job.ParseID(j.id)
	if err != nil {
		return
	}
	name := a.ID(id.Cluster).String()
	if j.preserving.keeps(name, failed) {
		j.preserve(name)
		return
	}
	j.mu.Lock()
	roots := slices.Clone(j.roots)
	j.mu.Unlock()
	for _, root := range roots {
		dir := filepath.Join(root, name)
		if child != 0 && j.keepSpare(dir, child, keep && j.info.GetReduces() > 0) {
			continue
		}
		if keep {
			dir = filepath.Join(dir, workDir)
		}
		_ = owned.RemoveAll(context.Background(), dir)
	}
}
