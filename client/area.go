package client

import (
	"context"
	"fmt"
	"os"
	"path"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// area is the directory that contains all files that a user stages: ROOT/USER/.staging.
type area struct {
	fs    dfs.FileSystem
	dir   string
	owner string // user who must own the files
}

// resolve returns the file system and path of a staging directory, and the user who must own the
// files. On the local file system, that is the user of this process. A process that runs as root,
// however, stages files as the given user, if the machine has that user, because the JobTracker
// reads them as that user.
func (c *Client) resolve(stagingDir, user string) (fs dfs.FileSystem, dir, owner string, err error) {
	if fs, dir, err = c.fs.Resolve(stagingDir); err != nil || fs.Scheme() != "file" {
		return fs, dir, user, err
	}
	if as, ok := fs.(dfs.Impersonator); ok && os.Geteuid() == 0 {
		if users, err := as.As(user); err == nil {
			return users, dir, user, nil
		}
	}
	return fs, dir, passwd.User(os.Geteuid()), nil
}

// make creates the directory. Like Hadoop's client, it ensures that no other user can read or
// change the directory. On the local file system, other users could replace the directory if they
// could write to its parent, so make also checks the parent.
func (a *area) make(ctx context.Context) error {
	if a.fs.Scheme() == "file" {
		home := path.Dir(a.dir)
		found, err := dfs.Exists(ctx, a.fs, home)
		if err != nil {
			return err
		}
		if err := a.own(ctx, home, !found); err != nil {
			return err
		}
	}
	return a.own(ctx, a.dir, true)
}

// own creates dir and returns an error if it does not belong to the owner of the area. If private
// is set, own denies all other users access. Otherwise, it returns an error if every user can write
// to dir.
func (a *area) own(ctx context.Context, dir string, private bool) error {
	if err := a.fs.Mkdir(ctx, dir); err != nil {
		return err
	}
	fs := dfs.Within(a.fs, dir) // rejects a link
	info, err := fs.Stat(ctx, dir)
	if err != nil {
		return err
	}
	why := error(nil)
	switch {
	case info.Owner != a.owner:
		why = fmt.Errorf("it belongs to %q, not to %q", info.Owner, a.owner)
	case !private && info.Mode&0o002 != 0:
		why = fmt.Errorf("every user can write to it")
	}
	if why != nil {
		return failure.New(failure.Permission, "stage files in", fs.URI()+dir, why).
			Fix("remove it, or let an administrator remove it, or set the JobTracker's " +
				"mapreduce.jobtracker.staging.root.dir to the directory of users' home directories (/user)")
	}
	mode := uint32(0o700)
	if !private || info.Mode == mode {
		return nil
	}
	return fs.SetMeta(ctx, dir, dfs.Meta{Mode: &mode})
}
