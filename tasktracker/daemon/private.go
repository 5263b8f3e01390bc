package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
)

// A job's directories are private to its user. If tasks run as other users, the TaskTracker runs as
// root and must not follow links planted by a user. The TaskTracker therefore owns the directories
// in which it creates files, and the user may only enter them. It changes the owner of all other
// directories once they are complete. From then on, it only removes them (owned.RemoveAll follows
// no links) or reads from them using package owned.

// makeDir creates a directory that only the TaskTracker may change and that only the account's
// group may enter. The group can have members other than the user, so every entry of the directory
// must belong to the user or be such a directory. If a is nil, only the TaskTracker's user may
// enter.
func makeDir(dir string, a *account.Account) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil && a != nil {
		err = errors.Join(os.Lchown(dir, -1, a.GID), os.Chmod(dir, 0o710))
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "create directory", dir, err)
	}
	return nil
}

// makeDirs creates dir and its missing parents below base like makeDir, and base itself like
// makeOpen.
func makeDirs(base, dir string, a *account.Account) error {
	if err := makeOpen(base); err != nil {
		return err
	}
	below, err := filepath.Rel(base, dir)
	if err != nil {
		return failure.New(failure.Internal, "create directory", dir, err)
	}
	for _, name := range strings.Split(below, string(filepath.Separator)) {
		base = filepath.Join(base, name)
		if err := makeDir(base, a); err != nil {
			return err
		}
	}
	return nil
}

// makeOpen creates a directory and its missing parents. If tasks can run as other users, every user
// may enter the directory, but only the TaskTracker may list or change it.
func makeOpen(dir string) error {
	err := os.Mkdir(dir, owndir.Crossed())
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(dir), owndir.Crossed()); err == nil {
			err = os.Mkdir(dir, owndir.Crossed())
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err == nil:
		err = os.Chmod(dir, owndir.Crossed()) // regardless of the umask
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "create directory", dir, err)
	}
	return nil
}

// give makes account a the owner of the file or new directory at path and of everything that the
// TaskTracker has created in the directory. The caller must not call it twice for a directory. It
// has no effect if a is nil.
func give(path string, a *account.Account) error {
	if a == nil {
		return nil
	}
	// The owner of the path itself changes last. Until then, no other user can change anything
	// below it.
	err := filepath.WalkDir(path, func(p string, _ fs.DirEntry, err error) error {
		if err != nil || p == path {
			return err
		}
		return os.Lchown(p, a.UID, a.GID)
	})
	if err == nil {
		err = os.Lchown(path, a.UID, a.GID)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "give to user "+a.Name, path, err)
	}
	return nil
}
