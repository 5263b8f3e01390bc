package client

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// ownStaging creates the directory for all files that a user stages. Like Hadoop's client, it
// ensures that no other user can read or change the directory. With scheme file, it does nothing,
// because the users of the daemons must read the directory.
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
		return failure.New(failure.Permission, "stage files in", fs.URI()+dir,
			fmt.Errorf("it belongs to %q, not to %q", info.Owner, user)).
			Fix("remove it, or set the JobTracker's mapreduce.jobtracker.staging.root.dir to the directory " +
				"of users' home directories (/user)")
	}
	private := uint32(0o700)
	if info.Mode == private {
		return nil
	}
	return fs.SetMeta(ctx, dir, dfs.Meta{Mode: &private})
}
