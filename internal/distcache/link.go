package distcache

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// Link creates, in dir, a symbolic link to each entry. dir is the working directory of an attempt.
// If a name already exists there, the error is of kind Exists. Link does nothing for a nil Lease.
func (l *Lease) Link(dir string) error {
	if l == nil {
		return nil
	}
	for i, e := range l.entries {
		name := filepath.Join(dir, e.Link)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = os.Symlink(l.copies[i].path, name)
		}
		if err != nil {
			return failure.New(failure.KindOf(err), "link", name, err)
		}
	}
	return nil
}
