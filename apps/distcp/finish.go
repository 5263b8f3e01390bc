package distcp

import (
	"context"
	"slices"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// preserve sets the attributes that letters selects on the copy called name. e contains their
// values. The letter b has no effect because a block size can be set only when a file is created.
func preserve(ctx context.Context, fs dfs.FileSystem, e *entry, name, letters string) error {
	var m dfs.Meta
	if strings.Contains(letters, "u") {
		m.Owner = &e.Owner
	}
	if strings.Contains(letters, "g") {
		m.Group = &e.Group
	}
	if strings.Contains(letters, "p") {
		m.Mode = &e.Mode
	}
	if strings.Contains(letters, "r") && !e.Dir && e.Replication > 0 {
		m.Replication = &e.Replication
	}
	if strings.Contains(letters, "t") {
		m.ModTime = moment(e.Modified)
		if e.Accessed > 0 {
			m.AccessTime = moment(e.Accessed)
		}
	}
	if m == (dfs.Meta{}) {
		return nil
	}
	return fs.SetMeta(ctx, name, m)
}

// makeDirs creates all of the listing's directories at the target, including empty ones.
func (l *lister) makeDirs() error {
	for _, e := range l.entries {
		if e.Dir {
			if err := l.target.fs.Mkdir(l.ctx, e.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishDirs sets the attributes of directories. A directory follows its subdirectories, because
// its new mode may deny access to them.
func (l *lister) finishDirs() error {
	for _, e := range slices.Backward(l.entries) {
		if e.Dir {
			if err := preserve(l.ctx, l.target.fs, &e, e.Target, l.o.preserve); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteMissing deletes those files and directories below dir that do not exist in the source.
func (l *lister) deleteMissing(dir string) error {
	entries, err := l.target.fs.List(l.ctx, dir)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		_, wanted := l.taken[e.Path]
		switch {
		case !wanted:
			err = l.target.fs.Delete(l.ctx, e.Path, true)
		case e.Dir && !e.Link:
			err = l.deleteMissing(e.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
