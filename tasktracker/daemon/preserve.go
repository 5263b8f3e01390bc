package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/task"
)

// preserving says which attempts' files a job wants to look at afterwards. They stay until the TaskTracker starts again.
type preserving struct {
	failed  bool
	pattern *regexp.Regexp // of attempts' ids; nil = none
}

// preserves reads what the job wants. Its settings were checked when it was submitted.
func preserves(c *conf.Config) (p preserving, err error) {
	if p.failed, err = c.Bool(task.KeyPreserveFailed, false); err != nil {
		return p, err
	}
	p.pattern, err = task.PreservePattern(c)
	return p, err
}

// mayPreserve tells whether a configuration in XML says anything of it: most do not.
func mayPreserve(xml []byte) bool { return bytes.Contains(xml, []byte(task.KeyPreserve)) }

// keeps tells whether an attempt's files stay.
func (p *preserving) keeps(attempt string, failed bool) bool {
	return p.failed && failed || p.pattern != nil && p.pattern.MatchString(attempt)
}

// preserve remembers that the files of an attempt stay.
func (j *localJob) preserve(attempt string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.preserved == nil {
		j.preserved = map[string]bool{}
	}
	j.preserved[attempt] = true
}

// removeRoot deletes one of the job's directories but for the files of attempts that stay, and what their configuration is.
func (j *localJob) removeRoot(root string) {
	if len(j.preserved) == 0 {
		_ = os.RemoveAll(root)
		return
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !j.preserved[e.Name()] && e.Name() != jobConf {
			_ = os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
}
