// Package minicluster runs a cluster on one machine. A supervisor runs the JobTracker and each
// TaskTracker as separate processes. It records their ports in the cluster's directory, so a killed
// part can restart at the same address.
package minicluster

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
)

// Options configure a cluster.
type Options struct {
	TaskTrackers int             // 1-64
	Dir          string          // "" means a temporary directory that is removed at the end
	Set          []conf.Property // settings for every part
	Command      []string        // run when the cluster is ready; its exit stops the cluster; if empty, ctx stops it
	Restart      bool            // restart a part that ends unexpectedly
	Security     string          // description of what protects the cluster, shown to the user
	Program      string          // path of the howdah binary
	JobTracker   string          // program whose jobtracker command is the JobTracker; "" means Program
	TaskTracker  string          // program whose tasktracker command is a TaskTracker; "" means Program

	Scheme string // of the URLs of pages: http or https

	// Joined returns the number of TaskTrackers that are registered with the JobTracker at address.
	// It returns an error if the JobTracker does not answer yet.
	Joined func(ctx context.Context, address string) (int, error)

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// MaxTaskTrackers is the maximum number of TaskTrackers in one cluster.
const MaxTaskTrackers = 64

func (o *Options) check() error {
	if o.TaskTrackers < 1 || o.TaskTrackers > MaxTaskTrackers {
		return failure.New(failure.Usage, "read option", "--tasktrackers "+strconv.Itoa(o.TaskTrackers), nil).
			Fix("use an integer from 1 to " + strconv.Itoa(MaxTaskTrackers))
	}
	for _, p := range o.Set {
		if Fixed(p.Name) {
			return failure.New(failure.Usage, "read option", p.Source+" "+p.Name,
				errors.New("minicluster chooses this value")).
				Fix("to set it, run howdah jobtracker and howdah tasktracker instead")
		}
	}
	return nil
}

// layout returns the paths of the files in a cluster's directory.
type layout struct{ dir string }

func (l layout) conf() string               { return filepath.Join(l.dir, "conf") }
func (l layout) pid(name string) string     { return filepath.Join(l.dir, "pids", name) }
func (l layout) command(name string) string { return filepath.Join(l.dir, "commands", name) }
func (l layout) log(name string) string     { return filepath.Join(l.dir, "logs", name+".log") }
func (l layout) ports() string              { return filepath.Join(l.dir, "ports") }
func (l layout) lock() string               { return filepath.Join(l.dir, "lock") }
func (l layout) local(name string) string   { return filepath.Join(l.dir, "local", name) }
func (l layout) system() string             { return filepath.Join(l.dir, "system") }

func (l layout) make() error {
	for _, d := range []string{l.conf(), l.dir + "/pids", l.dir + "/commands", l.dir + "/logs", l.dir + "/local"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return failure.New(failure.KindOf(err), "make directory", d, err)
		}
	}
	return nil
}

// prepareDir creates or opens the cluster's directory. If the directory is temporary, done removes
// it.
func prepareDir(dir string) (l layout, done func(), err error) {
	if dir == "" {
		dir, err = os.MkdirTemp("", "howdah-minicluster-")
		if err != nil {
			return l, nil, failure.New(failure.KindOf(err), "make directory", os.TempDir(), err)
		}
		// MkdirTemp keeps other users out of the directory, but tasks that run as users must pass through
		// it.
		if err := os.Chmod(dir, owndir.Crossed()); err != nil {
			return l, nil, failure.New(failure.KindOf(err), "make directory", dir, err)
		}
		return layout{dir}, func() { os.RemoveAll(dir) }, nil
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return l, nil, failure.New(failure.KindOf(err), "find directory", dir, err)
	}
	if err := owndir.Make(dir, owndir.Crossed(), "--dir"); err != nil {
		return l, nil, err
	}
	return layout{dir}, func() {}, nil
}
