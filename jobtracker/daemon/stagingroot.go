package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
)

// makeStagingRoot creates the directory for staged jobs. Otherwise the first client would create it
// and own it. Except on a local disk, it does not change an existing directory, which can contain
// users' homes. It returns an error of kind Config if another user could replace the directory.
// Other errors are not fatal, because clients will also get them.
func (d *Daemon) makeStagingRoot(ctx context.Context) error {
	storage, root, err := d.cfg.FS.Resolve(d.cfg.StagingRoot)
	if err != nil {
		return nil
	}
	if storage.Scheme() == "file" {
		err = d.makeLocalStagingRoot(root)
	} else {
		err = makeStagingForAll(ctx, storage, root)
	}
	if failure.Is(err, failure.Config) {
		return err
	}
	if err != nil {
		d.cfg.Log.Warn("cannot create the staging directory for all users", "directory", storage.URI()+root, "error", err)
	}
	return nil
}

// makeStagingForAll creates the directory so that all users can write to it, like /tmp. It does
// nothing if the directory exists.
func makeStagingForAll(ctx context.Context, storage dfs.FileSystem, root string) error {
	if _, err := storage.Stat(ctx, root); !failure.Is(err, failure.NotFound) {
		return nil
	}
	if err := storage.Mkdir(ctx, root); err != nil {
		return err
	}
	everybody := uint32(0o1777)
	return storage.SetMeta(ctx, root, dfs.Meta{Mode: &everybody})
}

// localStaging is the mode of a local staging root if the JobTracker runs as root. Every user can
// create a directory there, but cannot list the directories of others. A JobTracker that does not
// run as root cannot read other users' files, so only its own user submits jobs.
const localStaging = fs.ModeSticky | 0o733

func (d *Daemon) makeLocalStagingRoot(root string) error {
	if os.Geteuid() != 0 {
		return owndir.Make(root, owndir.Private, conf.JobTrackerStagingRootDir.Name)
	}
	if err := owndir.Make(root, localStaging, conf.JobTrackerStagingRootDir.Name); err != nil {
		return err
	}
	// Earlier versions left it to the first client to create the directory.
	tmp, err := filepath.Abs(conf.HadoopTmpDir.Get(d.cfg.Conf))
	if err != nil || !strings.HasPrefix(root, tmp+"/") {
		return nil
	}
	return os.Chmod(root, localStaging)
}

// makeUserArea creates a user's directory below a local staging root, if the JobTracker runs as
// root and the directory is missing. Otherwise, another user could create it first, because
// everybody may create entries there, and the user could not remove it.
func (d *Daemon) makeUserArea(user string) error {
	storage, root, err := d.cfg.FS.Resolve(d.cfg.StagingRoot)
	if err != nil || storage.Scheme() != "file" || os.Geteuid() != 0 {
		return err
	}
	dir := filepath.Join(root, user)
	d.areas.Lock() // the directory has its owner when the lock is free
	_, err = os.Lstat(dir)
	d.areas.Unlock()
	if err == nil {
		return nil
	}
	a, err := account.Look(user)
	if err != nil {
		return nil // the user has no account here; the client or Submit reports what is wrong
	}
	d.areas.Lock()
	defer d.areas.Unlock()
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return failure.New(failure.KindOf(err), "create staging directory", dir, err)
	}
	if err := os.Lchown(dir, a.UID, a.GID); err != nil {
		return failure.New(failure.KindOf(err), "create staging directory", dir, errors.Join(err, os.Remove(dir)))
	}
	return nil
}
