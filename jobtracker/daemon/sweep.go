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
	// sweepAge: a client that has not submitted what it staged that long ago never will.
	sweepAge = 24 * time.Hour
)

// sweep removes, now and then, what clients staged and never submitted because they were killed, and what a crash of the
// JobTracker left of submissions that nobody repeated.
func (d *Daemon) sweep(ctx context.Context) error {
	abandoned := time.NewTimer(sweepAge)
	defer abandoned.Stop()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := d.sweepOnce(ctx, time.Now().Add(-sweepAge)); err != nil && ctx.Err() == nil {
			d.cfg.Log.Warn("abandoned staging directories cannot be removed", "error", err)
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

// sweepOnce removes the staging directories of this cluster's jobs that are not unfinished jobs' and were last changed before
// a time. Whatever else lies in the staging root is not touched.
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
		d.sweepUser(ctx, fs.URI()+user.Path, before)
	}
	return nil
}

// sweepUser does that for one user, in his name. On a secured HDFS it cannot: what his clients left there stays.
func (d *Daemon) sweepUser(ctx context.Context, home string, before time.Time) {
	user := path.Base(home)
	fs, dir, release, err := d.resolveAs(user, nil, home)
	if err != nil {
		return
	}
	defer release()
	dirs, err := fs.List(ctx, path.Join(dir, ".staging"))
	if err != nil {
		return // not a user's directory, or one that is not ours to read
	}
	sweepShipped(ctx, fs, dir)
	for _, staged := range dirs {
		id, err := job.ParseID(staged.Name())
		if err != nil || id.Cluster != d.cluster || !staged.Dir || d.jobs.get(id.Seq) != nil || !staged.ModTime.Before(before) {
			continue
		}
		d.removeStaging(ctx, user, nil, id)
	}
}

// shippedAge: a program or cached file that no client has submitted for that long goes. Jobs that run longer keep what their
// nodes have copied.
const shippedAge = 30 * 24 * time.Hour

// sweepShipped removes what a user's clients shipped and have not used for long.
func sweepShipped(ctx context.Context, fs dfs.FileSystem, home string) {
	before := time.Now().Add(-shippedAge)
	for _, kind := range []string{staging.ProgramDir, staging.CacheDir} {
		copies, err := fs.List(ctx, path.Join(home, ".staging", kind))
		if err != nil {
			continue // nothing was shipped
		}
		for _, c := range copies {
			if c.ModTime.Before(before) {
				_ = fs.Delete(ctx, c.Path, true) // or the next time
			}
		}
	}
}

// sweepLost takes back the claims of submissions that a crash cut off and that did not come again.
func (d *Daemon) sweepLost(ctx context.Context) {
	for _, info := range d.jobs.abandoned() {
		if err := d.unclaim(ctx, info); err != nil {
			d.cfg.Log.Warn("an abandoned output directory stays behind", "directory", info.OutputDir, "error", err)
		}
	}
}

// unclaim forgets a submission and removes its output directory, if that is still the submission's own.
func (d *Daemon) unclaim(ctx context.Context, info *tracker.JobInfo) error {
	unlock, err := d.keys.lock(ctx, "output "+info.OutputDir)
	if err != nil {
		return err
	}
	defer unlock()
	if d.jobs.claimed(info.Owner) {
		return nil // it has come again
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
	return asUser(info.User, func() error { return commit.Unclaim(ctx, fs, out, info.Owner) })
}
