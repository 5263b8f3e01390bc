package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/shuffle"
)

// served contains the data of the map-output server. These are the jobs' tokens and a directory
// that contains a link for each map attempt. The link points to the attempt's output, which may be
// in any local directory. served is safe for concurrent use.
type served struct {
	root string

	mu     sync.Mutex
	tokens map[job.ID][]byte
}

// add allows the server to serve the outputs of a job's maps.
func (s *served) add(j *localJob) error {
	id, err := job.ParseID(j.id)
	if err != nil {
		return err
	}
	if err := makeDirs(s.root, filepath.Join(s.root, j.id), j.account); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[id] = j.info.GetToken()
	return nil
}

// publish links a map attempt's output directory before the attempt writes to it. Reducers request
// only the outputs of successful attempts.
func (s *served) publish(a job.AttemptID, dir string) error {
	link := shuffle.OutputDir(s.root, a)
	if err := os.Symlink(dir, link); err != nil && !errors.Is(err, fs.ErrExist) {
		return failure.New(failure.KindOf(err), "link map output", link, err)
	}
	return nil
}

// drop removes a job's token and links.
func (s *served) drop(j *localJob) {
	id, err := job.ParseID(j.id)
	if err != nil {
		return
	}
	s.mu.Lock()
	delete(s.tokens, id)
	s.mu.Unlock()
	_ = owned.RemoveAll(context.Background(), filepath.Join(s.root, j.id))
}

// token returns a job's token. It returns false if the server does not have the job or the job has
// no token.
func (s *served) token(id job.ID) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[id]
	return t, ok && len(t) > 0
}
