package daemon

import (
	"context"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// makeStagingRoot creates the directory for staged jobs, writable by all users like /tmp. Otherwise
// the first client would create it and own it. It does not change an existing directory, which can
// contain users' homes. Errors are not fatal, because clients will get them too. On file:, clients
// create the directory.
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
		d.cfg.Log.Warn("cannot create the staging directory for all users", "directory", fs.URI()+root, "error", err)
	}
}
