package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/job/failure"
)

// identity says to which deployment something belongs. It is kept as a file in the deployment's directory.
type identity struct {
	Cluster    string `json:"cluster"`
	Deployment int64  `json:"deployment"`
}

const identityFile = "deployment.json"

// layout names what lies in the directory of a deployment.
type layout struct{ dir string }

func layoutOf(nodeDir string, id identity) layout {
	return layout{filepath.Join(nodeDir, "deployments", fmt.Sprintf("%s-%d", id.Cluster, id.Deployment))}
}

func (l layout) path(elements ...string) string {
	return filepath.Join(append([]string{l.dir}, elements...)...)
}

func (l layout) conf(service string) string { return l.path("conf", service) }
func (l layout) log(service string) string  { return l.path("logs", service+".log") }

// make makes the directory and says whose it is.
func (l layout) make(id identity) error {
	if err := os.MkdirAll(l.path("logs"), 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", l.dir, err)
	}
	b, _ := json.Marshal(id)
	if err := writeWhole(l.path(identityFile), b); err != nil {
		return failure.New(failure.KindOf(err), "write", l.path(identityFile), err)
	}
	return nil
}

// writeWhole writes a file so that a kill leaves the old one or the new one.
func writeWhole(file string, b []byte) error {
	if err := os.WriteFile(file+".new", b, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// remove removes the directory. It gets another name first: a deployment of which only a part is left must never be taken for one.
func (l layout) remove() error {
	aside := l.dir + ".removed"
	err := os.RemoveAll(aside) // of a try that failed
	if err == nil {
		err = os.Rename(l.dir, aside)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.RemoveAll(aside)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "remove", l.dir, err)
	}
	return nil
}

// leftovers finds the deployments that have a directory. One that does not say whose it is was made and not used, or half removed:
// it goes.
func leftovers(nodeDir string) []identity {
	var out []identity
	dirs, _ := filepath.Glob(filepath.Join(nodeDir, "deployments", "*"))
	for _, dir := range dirs {
		var id identity
		b, err := os.ReadFile(filepath.Join(dir, identityFile))
		if err == nil && json.Unmarshal(b, &id) == nil && layoutOf(nodeDir, id).dir == dir {
			out = append(out, id)
		} else {
			_ = os.RemoveAll(dir)
		}
	}
	return out
}

// takeDir makes a directory for one Node alone.
func takeDir(dir string) (abs string, unlock func(), err error) {
	abs, err = filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(filepath.Join(abs, "deployments"), 0o755)
	}
	if err != nil {
		return "", nil, failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	f, err := os.OpenFile(filepath.Join(abs, "node.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, failure.New(failure.KindOf(err), "lock", abs, err)
	}
	if err := dirlock.Flock(f); err != nil {
		f.Close()
		return "", nil, failure.New(failure.Exists, "lock", abs, errors.New("another agent uses it")).Fix("give each agent a directory of its own")
	}
	return abs, func() { f.Close() }, nil
}
