package daemon

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/task"
)

// preserving selects the attempts whose files must be kept because the job asks for it. The
// TaskTracker keeps these files until it restarts.
type preserving struct {
	failed  bool
	pattern *regexp.Regexp // matches attempt IDs; nil means no attempt
}

// preserves reads a job's settings for the files to keep. The settings were validated at
// submission.
func preserves(c *conf.Config) (p preserving, err error) {
	if p.failed, err = conf.TaskFilesPreserveFailedTasks.Get(c); err != nil {
		return p, err
	}
	p.pattern, err = task.PreservePattern(c)
	return p, err
}

// mayPreserve reports whether xml, a job's configuration, contains the name of a setting for the
// files to keep. Most configurations do not, and need not be parsed.
func mayPreserve(xml []byte) bool { return bytes.Contains(xml, []byte(task.KeyPreserve)) }

// keeps reports whether to keep an attempt's files.
func (p *preserving) keeps(attempt string, failed bool) bool {
	return p.failed && failed || p.pattern != nil && p.pattern.MatchString(attempt)
}

// preserve records that an attempt's files must be kept.
func (j *localJob) preserve(attempt string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.preserved == nil {
		j.preserved = map[string]bool{}
	}
	j.preserved[attempt] = true
}

// removeRoot deletes root, one of the job's directories. It keeps the files of preserved attempts
// and the job's configuration.
func (j *localJob) removeRoot(root string) {
	if len(j.preserved) == 0 {
		_ = owned.RemoveAll(context.Background(), root)
		return
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !j.preserved[e.Name()] && e.Name() != jobConf {
			_ = owned.RemoveAll(context.Background(), filepath.Join(root, e.Name()))
		}
	}
}
