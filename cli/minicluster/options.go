// Package minicluster runs a cluster on one machine: a JobTracker and TaskTrackers as processes of their own, supervised by
// one more. Addresses and files live in one directory, so that a part that was killed comes back where it was.
package minicluster

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Options say what to start.
type Options struct {
	TaskTrackers int             // 1-64
	Dir          string          // "" = a directory of its own, removed at the end
	Set          []conf.Property // settings for every part
	Command      []string        // run it when the cluster is ready, then stop; empty = until the context ends
	Restart      bool            // start a part again that died
	Program      string          // the howdah binary

	// Joined gives the number of TaskTrackers that the JobTracker at the address knows. An error means that it does not answer yet.
	Joined func(ctx context.Context, address string) (int, error)

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// MaxTaskTrackers bounds how many processes one call starts.
const MaxTaskTrackers = 64

func (o *Options) check() error {
	if o.TaskTrackers < 1 || o.TaskTrackers > MaxTaskTrackers {
		return failure.New(failure.Usage, "read option", "--tasktrackers "+strconv.Itoa(o.TaskTrackers), nil).
			Fix("give a whole number from 1 to " + strconv.Itoa(MaxTaskTrackers))
	}
	for _, p := range o.Set {
		if Fixed(p.Name) {
			return failure.New(failure.Usage, "read option", p.Source+" "+p.Name, nil).
				Fix("minicluster chooses this itself, below --dir; start jobtracker and tasktracker by hand to set it")
		}
	}
	return nil
}

// layout names what lies in a cluster's directory.
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

// prepareDir makes or opens the cluster's directory; done removes it if it was made for this run alone.
func prepareDir(dir string) (l layout, done func(), err error) {
	if dir == "" {
		dir, err = os.MkdirTemp("", "howdah-minicluster-")
		if err != nil {
			return l, nil, failure.New(failure.KindOf(err), "make directory", os.TempDir(), err)
		}
		// Other users' processes must not read the jobs' files, but the path itself is no secret.
		return layout{dir}, func() { os.RemoveAll(dir) }, nil
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return l, nil, failure.New(failure.KindOf(err), "find directory", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return l, nil, failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	return layout{dir}, func() {}, nil
}
