package fs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// trash is the user's trash on one file system, in HOME/.Trash. Deleted files go to its Current
// directory. -expunge renames that directory to the current time. It also deletes directories that
// earlier calls renamed, if they are too old.
type trash struct {
	*shell
	fs   dfs.FileSystem
	keep time.Duration // how long deleted files stay in the trash
}

const (
	currentTrash = "Current"
	trashDate    = "060102150405" // format of the names of earlier Current directories
)

// trashOf returns the user's trash, or nil if the file system has no trash.
func (s *shell) trashOf(fs dfs.FileSystem) (*trash, error) {
	t := &trash{s, fs, s.set.Trash}
	if k, ok := fs.(dfs.TrashKeeper); ok {
		d, err := k.TrashInterval(s.ctx)
		if err != nil {
			return nil, err
		}
		if d > 0 {
			t.keep = d
		}
	}
	if _, ok := fs.(dfs.Homer); !ok || t.keep <= 0 {
		return nil, nil
	}
	return t, nil
}

func (t *trash) root() string { return path.Join(t.fs.(dfs.Homer).Home(), ".Trash") }

func below(dir, name string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// take moves i to the trash. It returns false if i is already in the trash, so that it can only be
// deleted.
func (t *trash) take(i *item) (bool, error) {
	root := t.root()
	if below(root, i.path) {
		return false, nil
	}
	if below(i.path, path.Dir(root)) {
		return false, fmt.Errorf("Cannot move \"%s\" to the trash, as it contains the trash", i.uri())
	}
	parent, err := t.makeParent(path.Join(root, currentTrash, path.Dir(i.path)))
	if err != nil {
		return false, err
	}
	to := path.Join(parent, path.Base(i.path))
	for name := to; ; name = to + strconv.FormatInt(time.Now().UnixMilli(), 10) {
		err := dfs.RenameOnce(t.ctx, t.fs, i.path, name)
		if err == nil {
			t.complain("Moved: '%s' to trash at: %s", i.uri(), dfs.Qualify(t.fs, name))
			return true, nil
		}
		if !failure.Is(err, failure.Exists) || t.ctx.Err() != nil {
			return false, explain(i.shown, err)
		}
	}
}

// makeParent creates dir in the trash, and allows only the owner to access the trash. If dir or one
// of its parents is a file, makeParent appends the time to that part of the path and returns the
// new path.
func (t *trash) makeParent(dir string) (string, error) {
	err := t.fs.Mkdir(t.ctx, dir)
	if failure.Is(err, failure.Exists) {
		for taken := dir; taken != "/"; taken = path.Dir(taken) {
			if i, err := t.fs.Stat(t.ctx, taken); err == nil && !i.Dir {
				dir = taken + strconv.FormatInt(time.Now().UnixMilli(), 10) + strings.TrimPrefix(dir, taken)
				break
			}
		}
		err = t.fs.Mkdir(t.ctx, dir)
	}
	if err != nil {
		return "", explain(dir, err)
	}
	mode := uint32(0o700)
	return dir, explain(dir, t.fs.SetMeta(t.ctx, path.Join(t.root()), dfs.Meta{Mode: &mode}))
}

func expunge(s *shell, o options, _ []string) error {
	arg := "/"
	if v := o["fs"]; v != "" {
		arg = v
	}
	i, err := s.resolve(arg)
	if err != nil {
		return err
	}
	t, err := s.trashOf(i.fs)
	if err != nil || t == nil {
		return err
	}
	if o.has("immediate") {
		if err := t.checkpoint(); err != nil {
			return err
		}
		return t.empty(func(time.Time) bool { return true })
	}
	limit := time.Now().Add(-t.keep)
	if err := t.empty(func(when time.Time) bool { return when.Before(limit) }); err != nil {
		return err
	}
	return t.checkpoint()
}

// checkpoint renames the Current directory, if it exists, to the current time.
func (t *trash) checkpoint() error {
	current := path.Join(t.root(), currentTrash)
	if _, err := t.fs.Stat(t.ctx, current); failure.Is(err, failure.NotFound) {
		return nil
	}
	name := path.Join(t.root(), time.Now().Format(trashDate))
	for n := range 1000 { // maximum number of checkpoints in one second
		to := name
		if n > 0 {
			to += "-" + strconv.Itoa(n)
		}
		err := dfs.RenameOnce(t.ctx, t.fs, current, to)
		if !failure.Is(err, failure.Exists) {
			return explain(current, err)
		}
	}
	return errors.New("Failed to checkpoint trash: " + name)
}

// empty deletes the checkpoints for which old returns true.
func (t *trash) empty(old func(time.Time) bool) error {
	entries, err := t.fs.List(t.ctx, t.root())
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	for _, e := range entries {
		date, _, _ := strings.Cut(e.Name(), "-")
		if when, err := time.ParseInLocation(trashDate, date, time.Local); err == nil && old(when) {
			if err := t.fs.Delete(t.ctx, e.Path, true); err != nil {
				return explain(e.Path, err)
			}
		}
	}
	return explain(t.root(), err)
}

// confirmed reports whether the command may delete i. It asks the user only if the tree at i has
// more than ConfirmAbove files.
func (s *shell) confirmed(i *item) (bool, error) {
	if s.set.ConfirmAbove <= 0 {
		return true, nil
	}
	sum, err := s.summary(i)
	if err != nil || sum.Files <= s.set.ConfirmAbove {
		return true, err
	}
	in := bufio.NewReader(s.in)
	for {
		s.out.Flush()
		fmt.Fprintf(s.err, "Proceed deleting %d files? (Y or N) ", sum.Files)
		answer, err := in.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			fmt.Fprint(s.err, "Delete aborted at user request.\n\n")
			return false, nil
		}
		if err == io.EOF {
			return false, errors.New("Delete aborted: no answer")
		}
		fmt.Fprintf(s.err, "Invalid input: %s\n", strings.TrimSpace(answer))
	}
}
