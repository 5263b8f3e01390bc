package daemon

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/internal/owned"
)

// spare is the directory of an ended attempt with an empty working directory. The next attempt of
// the same child uses it under a new name, because creating and removing directories takes much of
// the time of a small attempt. Processes that an attempt left behind could still use its working
// directory, so no other child may.
type spare struct {
	child  int32
	dir    string // the attempt's directory
	shared bool   // dir also contains a map output, so only the working directory is spare
}

// keepSpare empties the working directory in dir, an ended attempt's directory, and keeps it for the
// child's next attempt. shared means that dir also contains a map output. keepSpare returns false if
// dir differs from a new attempt's directory.
func (j *localJob) keepSpare(dir string, child int32, shared bool) bool {
	if j.cache != nil { // a new working directory has links to files of the distributed cache
		return false
	}
	work := filepath.Join(dir, workDir)
	if info, err := os.Lstat(work); err != nil || info.Mode() != fs.ModeDir|0o700 {
		return false
	}
	if all, err := os.ReadDir(dir); !shared && (err != nil || len(all) != 1) {
		return false
	}
	if owned.Empty(context.Background(), work) != nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.spares = append(j.spares, spare{child, dir, shared})
	return true
}

// moveSpare makes a spare directory of the child the new directory dir of an attempt, with its empty
// working directory. If that is impossible, for example because the child has none on the same disk,
// moveSpare creates dir and returns false.
func (j *localJob) moveSpare(dir string, child int32) (moved bool, err error) {
	s, ok := j.takeSpare(filepath.Dir(dir), child)
	if ok && !s.shared && os.Rename(s.dir, dir) == nil {
		return true, nil
	}
	if err := makeDir(dir, j.account); err != nil {
		return false, err
	}
	return ok && s.shared && os.Rename(filepath.Join(s.dir, workDir), filepath.Join(dir, workDir)) == nil, nil
}

// takeSpare removes and returns a spare directory of the child below home, the job's directory in
// one of the local directories.
func (j *localJob) takeSpare(home string, child int32) (s spare, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.IndexFunc(j.spares, func(s spare) bool { return s.child == child && filepath.Dir(s.dir) == home })
	if i < 0 {
		return s, false
	}
	s = j.spares[i]
	j.spares = slices.Delete(j.spares, i, i+1)
	return s, true
}
