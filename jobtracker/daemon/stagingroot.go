package daemon

import (
	"context"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// makeStagingRoot makes the directory below which clients stage, for all users as /tmp is, where the storage knows users and would
// leave it to the first client. One that is there stays as it is: it may be where users have homes. If it cannot be made, clients
// will tell; on file: it is theirs to make.
func (d *Daemon) makeStagingRoot(ctx context.Context) {
	fs, root, err := d.cfg.FS.Resolve(d.cfg.StagingRoot)
	if err != nil || fs.Scheme() == "file" {
		return
	}
	if _, err = fs.Stat(ctx, root); !failure.Is(err, failure.NotFound) {
		return
	}
	if err = fs.Mkdir(ctx, root); err == nil {
		everybody := uint32(0o1777)
		err = fs.SetMeta(ctx, root, dfs.Meta{Mode: &everybody})
	}
	if err != nil {
		d.cfg.Log.Warn("the staging directory of all users cannot be made", "directory", fs.URI()+root, "error", err)
	}
}
