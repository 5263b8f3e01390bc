package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/shuffle"
)

// served is what the map-output server may hand out: a directory with one link per map attempt to where its output lies, on
// whichever local directory, and the jobs' tokens. It is safe for concurrent use.
type served struct {
	root string

	mu     sync.Mutex
	tokens map[job.ID][]byte
}

// add lets the outputs of a job's maps be served.
func (s *served) add(j *localJob) error {
	id, err := job.ParseID(j.id)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.root, j.id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make map output directory", dir, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[id] = j.info.GetToken()
	return nil
}

// publish makes a map attempt's output directory known before anything is in it: reducers ask only for attempts that succeeded.
func (s *served) publish(a job.AttemptID, dir string) error {
	link := shuffle.OutputDir(s.root, a)
	if err := os.Symlink(dir, link); err != nil && !errors.Is(err, fs.ErrExist) {
		return failure.New(failure.KindOf(err), "link map output", link, err)
	}
	return nil
}

// drop forgets a job.
func (s *served) drop(j *localJob) {
	id, err := job.ParseID(j.id)
	if err != nil {
		return
	}
	s.mu.Lock()
	delete(s.tokens, id)
	s.mu.Unlock()
	_ = os.RemoveAll(filepath.Join(s.root, j.id))
}

// token gives a job's token; it is what the map-output server asks for.
func (s *served) token(id job.ID) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[id]
	return t, ok && len(t) > 0
}
