package daemon

import (
	"context"
	"path"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

const (
	sweepEvery = time.Hour
	// sweepAge is the age at which staged files without a submission are removed.
	sweepAge = 24 * time.Hour
)

// sweep periodically removes abandoned files. These are staged files that a killed client did not
// submit, shipped files that no client uses, and the remains of submissions that a crash of the
// JobTracker interrupted.
func (d *Daemon) sweep(ctx context.Context) error {
	abandoned := time.NewTimer(sweepAge)
	defer abandoned.Stop()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := d.sweepOnce(ctx, time.Now().Add(-sweepAge)); err != nil && ctx.Err() == nil {
			d.cfg.Log.Warn("cannot remove abandoned staging directories", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-abandoned.C:
			d.sweepLost(ctx)
		}
	}
}

// sweepOnce removes staging directories of this cluster that do not belong to an unfinished job and
// have not changed since the given time. It also removes old shipped files, but nothing else in the
// staging root.
func (d *Daemon) sweepOnce(ctx context.Context, before time.Time) error {
	fs, root, err := d.cfg.FS.Resolve(d.cfg.StagingRoot)
	if err != nil {
		return err
	}
	users, err := fs.List(ctx, root)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, user := range users {
		if user.Dir && !user.Link {
			d.sweepUser(ctx, fs.URI()+user.Path, before)
		}
	}
	return nil
}

// sweepUser removes the abandoned files of one user, as sweepOnce describes. It uses the user's
// permissions and does not follow links. On a secured HDFS the JobTracker lacks the user's
// credentials, so the files stay.
func (d *Daemon) sweepUser(ctx context.Context, home string, before time.Time) {
	user := path.Base(home)
	fs, dir, release, err := d.resolveAs(user, nil, home)
	if err != nil {
		return
	}
	defer release()
	dir = path.Join(dir, ".staging")
	fs = dfs.Within(fs, dir)
	entries, err := fs.List(ctx, dir)
	if err != nil {
		return // not the directory of a user, or not readable
	}
	for _, staged := range entries {
		if n := staged.Name(); staged.Dir && !staged.Link && (n == staging.ProgramDir || n == staging.CacheDir) {
			sweepShipped(ctx, fs, staged.Path)
		}
	}
	for _, staged := range entries {
		id, err := job.ParseID(staged.Name())
		if err != nil || id.Cluster != d.cluster || !staged.Dir || staged.Link || d.jobs.get(id.Seq) != nil ||
			!staged.ModTime.Before(before) {
			continue
		}
		if err := fs.Delete(ctx, staged.Path, true); err != nil && ctx.Err() == nil {
			d.cfg.Log.Warn("cannot remove a job's staging directory", "job", id.String(), "error", err)
		}
	}
}

// shippedAge is the time after which a program or cached file is removed if no client has used it.
// Nodes keep their copies for jobs that run longer.
const shippedAge = 30 * 24 * time.Hour

// sweepShipped removes files in a directory that a user's clients shipped and have not used for
// shippedAge.
func sweepShipped(ctx context.Context, fs dfs.FileSystem, dir string) {
	before := time.Now().Add(-shippedAge)
	copies, err := fs.List(ctx, dir)
	if err != nil {
		return
	}
	for _, c := range copies {
		if c.ModTime.Before(before) {
			_ = fs.Delete(ctx, c.Path, true) // after a failure, the next sweep retries
		}
	}
}

// sweepLost releases the claims of submissions that a crash interrupted and no client retried.
func (d *Daemon) sweepLost(ctx context.Context) {
	for _, info := range d.jobs.abandoned() {
		if err := d.unclaim(ctx, info); err != nil {
			d.cfg.Log.Warn("cannot remove an abandoned output directory", "directory", info.OutputDir, "error", err)
		}
	}
}

// unclaim drops a submission unless a client has retried it. It removes the output directory if
// that still belongs to the submission.
func (d *Daemon) unclaim(ctx context.Context, info *tracker.JobInfo) error {
	unlock, err := d.outputs.lock(ctx, info.OutputDir)
	if err != nil {
		return err
	}
	defer unlock()
	if d.jobs.claimed(info.Owner) {
		return nil // a client retried the submission
	}
	defer d.forgetSubmission(job.ID{Cluster: d.cluster, Seq: info.Job})
	if info.OutputDir == "" {
		return nil
	}
	fs, out, release, err := d.resolveAs(info.User, info, info.OutputDir)
	if err != nil {
		return err
	}
	defer release()
	return commit.Unclaim(ctx, fs, out, info.Owner)
}
