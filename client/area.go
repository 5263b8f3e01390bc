package client

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// ownStaging makes the directory that holds all that a user stages, and makes sure that nobody else reads or changes what is in it,
// as Hadoop's client does. On file: the daemons' own users have to read it, and permissions stay as they are.
func ownStaging(ctx context.Context, fs dfs.FileSystem, dir, user string) error {
	if fs.Scheme() == "file" {
		return nil
	}
	if err := fs.Mkdir(ctx, dir); err != nil {
		return err
	}
	info, err := fs.Stat(ctx, dir)
	if err != nil {
		return err
	}
	if info.Owner != user {
		return failure.New(failure.Permission, "stage files in", fs.URI()+dir, fmt.Errorf("it belongs to %q, not to %q", info.Owner, user)).
			Fix("have it removed, or set mapreduce.jobtracker.staging.root.dir of the JobTracker to where users have homes (/user)")
	}
	private := uint32(0o700)
	if info.Mode == private {
		return nil
	}
	return fs.SetMeta(ctx, dir, dfs.Meta{Mode: &private})
}
