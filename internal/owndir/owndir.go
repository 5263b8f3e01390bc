// Package owndir creates the directories in which daemons keep their own files, and rejects those
// that another user could change. Start with [Make].
package owndir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// Private is the mode of a directory that only the daemon's user uses.
const Private fs.FileMode = 0o700

// Crossed returns the mode of a directory that users' tasks must pass through to reach their own
// files. If the daemon runs as root, it may run tasks as users, and the mode is 0711. Otherwise,
// the mode is Private.
func Crossed() fs.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return Private
}

// maxLinks is the maximum number of symbolic links in a path.
const maxLinks = 40

// Make creates a directory for this process's files with the given mode, and any missing parents.
// If this process's user owns an existing directory, Make removes the write permissions of other
// users, unless mode has them, and adds the permissions in mode that let users pass through it. key
// is the configuration key for the error's remedy.
//
// Make returns an error of kind Config if another user owns the directory, or could still replace
// it or its content. If this process runs as root, Make checks every step of the path. Otherwise,
// it checks the last step, and the owners of entries in directories that others can write to.
// Others are all users, or a group that is neither this process's group nor a system group. Such an
// entry is safe if the directory is sticky, like /tmp, and the entry belongs to this process's user
// or to root.
//
// If mode is sticky, users may write to the directory. In that case, Make sets only the sticky bit of
// an existing directory.
func Make(dir string, mode fs.FileMode, key string) error {
	w, err := walk(dir, mode&fs.ModeSticky != 0, func(name string, last bool) error {
		m := Crossed()
		if last {
			m = mode
		}
		if err := os.Mkdir(name, m.Perm()); err != nil {
			return err
		}
		if m.Perm()&0o022 == 0 {
			return nil
		}
		return os.Chmod(name, m) // the umask has removed some permissions
	})
	if err == nil {
		err = w.tighten(mode)
	}
	return explain(err, "create directory", dir, key)
}

// Check is like Make, but creates and changes nothing. A missing directory is not an error.
func Check(dir, key string) error {
	_, err := walk(dir, false, func(string, bool) error { return errMissing })
	if errors.Is(err, errMissing) {
		return nil
	}
	return explain(err, "use directory", dir, key)
}

var errMissing = errors.New("missing")

func explain(err error, op, dir, key string) error {
	var s *strange
	switch {
	case err == nil:
		return nil
	case errors.As(err, &s):
		remedy := "set " + key + " to a directory that only " + passwd.Me() + " can change"
		if s.removable {
			remedy = "if nobody needs it, remove it as its owner or as root; otherwise " + remedy
		}
		return failure.New(failure.Config, op, dir, err).Fix(remedy)
	}
	return failure.New(failure.KindOf(err), op, dir, err).Fix("set " + key + " to a writable directory")
}

// strange is the error for a directory that another user could change. It contains the reason.
type strange struct {
	why       string
	removable bool // the remedy suggests removing the entry; false, for example, for a home directory
}

func (s *strange) Error() string { return s.why }

func refuse(removable bool, format string, args ...any) error {
	return &strange{fmt.Sprintf(format, args...), removable}
}

// walker follows a path from the root, so that each step depends only on directories that other users
// cannot change.
type walker struct {
	at     string // directory so far, without links
	info   fs.FileInfo
	todo   []string // remaining elements of the path
	shared bool     // users may write to the directory if it is sticky
}

// walk checks all directories in the path dir. It calls create for each missing one.
func walk(dir string, shared bool, create func(name string, last bool) error) (*walker, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &walker{at: "/", todo: split(abs), shared: shared}
	if w.info, err = os.Lstat("/"); err != nil {
		return nil, err
	}
	for links := 0; len(w.todo) > 0; {
		name, last := filepath.Join(w.at, w.todo[0]), len(w.todo) == 1
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			if err = create(name, last); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
			info, err = os.Lstat(name)
		}
		if err != nil {
			return nil, err
		}
		if err := w.check(name, info, last); err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			w.at, w.info, w.todo = name, info, w.todo[1:]
			continue
		}
		if links++; links > maxLinks {
			return nil, syscall.ELOOP
		}
		if err := w.follow(name); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func split(name string) []string {
	return strings.FieldsFunc(filepath.Clean(name), func(r rune) bool { return r == filepath.Separator })
}

// follow replaces a link in the path with its target.
func (w *walker) follow(link string) error {
	to, err := os.Readlink(link)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(w.at, to) // at contains no links
	}
	w.todo = append(split(to), w.todo[1:]...)
	w.at = "/"
	w.info, err = os.Lstat("/")
	return err
}

// check returns an error if another user could replace name, an entry of w.at, or could change the
// last directory of the path.
func (w *walker) check(name string, info fs.FileInfo, last bool) error {
	link := info.Mode()&fs.ModeSymlink != 0
	if !link && !info.IsDir() {
		return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	}
	owner, root := ownerOf(info), os.Geteuid() == 0
	mine := owner == 0 || owner == os.Geteuid()
	open := writable(w.info) // others can create entries
	switch {
	case !mine && (last && !link || open || root):
		return refuse(last || open, "%s belongs to %s", name, passwd.User(owner))
	case open && w.info.Mode()&fs.ModeSticky == 0 && (root || last):
		return refuse(false, "%s can replace it, because %s is writable by them", writers(w.info), w.at)
	case last && !link && owner != os.Geteuid() && writable(info) && !(w.shared && info.Mode()&fs.ModeSticky != 0):
		return refuse(true, "%s is writable by %s", name, writers(info))
	}
	return nil
}

func writable(info fs.FileInfo) bool { return writers(info) != "" }

// Members of a system group, such as syslog for /var/log, already administer the host. The users
// group is an exception.
const (
	firstUserGroup = 1000
	usersGroup     = 100
)

// writers returns a description of the users who can write to a directory. It ignores the
// directory's owner, root, system groups, and this process's group. It returns "" if nobody else
// can write.
func writers(info fs.FileInfo) string {
	group, perm := int(info.Sys().(*syscall.Stat_t).Gid), info.Mode().Perm()
	switch {
	case perm&0o002 != 0:
		return "all users"
	case perm&0o020 != 0 && group != os.Getegid() && (group >= firstUserGroup || group == usersGroup):
		return "users in group " + passwd.Group(group)
	}
	return ""
}

func ownerOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// tighten removes the write permissions that other users have but mode lacks, and adds the
// permissions in mode to pass through the directory. If w.shared is set, it only makes the
// directory sticky. It does not change another user's directory, and rejects one that all users
// share.
func (w *walker) tighten(mode fs.FileMode) error {
	has := w.info.Mode()
	if w.shared {
		if ownerOf(w.info) != os.Geteuid() || !writable(w.info) || has&fs.ModeSticky != 0 {
			return nil
		}
		return os.Chmod(w.at, has|fs.ModeSticky)
	}
	want := has&^0o022 | mode.Perm()&0o033
	if want == has || ownerOf(w.info) != os.Geteuid() {
		return nil
	}
	if writable(w.info) && has&fs.ModeSticky != 0 && w.common() {
		return refuse(false, "%s is for all users", w.at)
	}
	return os.Chmod(w.at, want)
}

// common reports whether all users share the directory. This is so if it is a usual place for
// temporary files or contains files of other users. A new file system in memory is not common,
// although all users can write to it.
func (w *walker) common() bool {
	for _, name := range []string{"/tmp", "/var/tmp", "/dev/shm", os.TempDir()} {
		if i, err := os.Stat(name); err == nil && os.SameFile(i, w.info) {
			return true
		}
	}
	entries, err := os.ReadDir(w.at)
	for _, e := range entries {
		if i, err := e.Info(); err == nil && ownerOf(i) != os.Geteuid() {
			return true
		}
	}
	return err != nil
}
