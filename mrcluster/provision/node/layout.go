package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
)

// An identity identifies the deployment that owns a directory. A file in the directory contains it.
type identity struct {
	Cluster    string `json:"cluster"`
	Deployment int64  `json:"deployment"`
}

const identityFile = "deployment.json"

// layout determines the paths of the files in the directory of a deployment.
type layout struct{ dir string }

func layoutOf(nodeDir string, id identity) layout {
	return layout{filepath.Join(nodeDir, "deployments", fmt.Sprintf("%s-%d", id.Cluster, id.Deployment))}
}

func (l layout) path(elements ...string) string {
	return filepath.Join(append([]string{l.dir}, elements...)...)
}

func (l layout) conf(service string) string { return l.path("conf", service) }
func (l layout) log(service string) string  { return l.path("logs", service+".log") }

// make creates the directory and its identity file.
func (l layout) make(id identity) error {
	if err := disk.MkdirAll(disk.OS, l.path("logs"), owndir.Crossed()); err != nil {
		return failure.New(failure.KindOf(err), "make directory", l.dir, err)
	}
	b, _ := json.Marshal(id)
	if err := disk.Replace(disk.OS, l.path(identityFile), b, 0o600); err != nil {
		return failure.New(failure.KindOf(err), "write", l.path(identityFile), err)
	}
	return nil
}

// remove renames the directory and then removes it, so that a half-removed deployment never looks
// complete.
func (l layout) remove() error {
	aside := l.dir + ".removed"
	err := owned.RemoveAll(context.Background(), aside) // left behind by an earlier failed attempt
	if err == nil {
		err = os.Rename(l.dir, aside)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = owned.RemoveAll(context.Background(), aside)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "remove", l.dir, err)
	}
	return nil
}

// leftovers returns the deployments that have a directory. It removes directories without an
// identity file, which are unused or half removed, and directories whose names are invalid. It
// takes the identity from the directory's name, because the file can be damaged.
func leftovers(nodeDir string) []identity {
	var out []identity
	dirs, _ := filepath.Glob(filepath.Join(nodeDir, "deployments", "*"))
	for _, dir := range dirs {
		id, ok := named(filepath.Base(dir))
		if _, err := os.Stat(filepath.Join(dir, identityFile)); ok && !errors.Is(err, fs.ErrNotExist) {
			out = append(out, id)
		} else {
			_ = owned.RemoveAll(context.Background(), dir)
		}
	}
	return out
}

// named returns the deployment whose directory has the given name.
func named(dir string) (id identity, ok bool) {
	at := strings.LastIndexByte(dir, '-')
	if at < 1 {
		return id, false
	}
	n, err := strconv.ParseInt(dir[at+1:], 10, 64)
	return identity{dir[:at], n}, err == nil
}

// takeDir creates a Node's directory and locks it against other Nodes.
func takeDir(dir string) (abs string, unlock func(), err error) {
	var lock *dirlock.Lock
	abs, err = filepath.Abs(dir)
	if err == nil {
		lock, err = dirlock.Take(abs, owndir.Crossed(), "agent", conf.MRClusterAgentDir.Name)
	}
	if err != nil {
		return "", nil, err
	}
	deployments := filepath.Join(abs, "deployments")
	if err := os.MkdirAll(deployments, owndir.Crossed()); err != nil {
		lock.Release()
		return "", nil, failure.New(failure.KindOf(err), "make directory", deployments, err)
	}
	return abs, func() { lock.Release() }, nil
}
