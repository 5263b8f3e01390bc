//go:build integration

package chaos

import (
	"io"
	"os"
	"path/filepath"
)

// fill fills a daemon's file system. A JobTracker may then end, and a TaskTracker cannot start.
func (f *fault) fill(part string) (func(), bool) {
	if !f.mounted {
		return nil, false
	}
	f.strikes(part)
	f.excuses = append(f.excuses, part)
	dir := f.disk(part)
	name := filepath.Join(dir, "ballast")
	ballast, err := os.Create(name)
	if err != nil {
		return nil, false
	}
	defer ballast.Close()
	_, _ = io.Copy(ballast, endless{}) // until the disk is full
	return func() { _ = os.Remove(name) }, true
}

// disk returns the directory of a daemon's small file system.
func (f *fault) disk(part string) string {
	if part == "jobtracker" {
		return filepath.Join(f.c.Dir, part)
	}
	return filepath.Join(f.c.Dir, "local", part)
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// readOnly makes a TaskTracker's local directory read-only for all files that are opened from now on.
func (f *fault) readOnly() (func(), bool) {
	part := f.tracker()
	dir := f.disk(part)
	if !f.mounted || mountReadOnly(dir) != nil {
		return nil, false
	}
	f.strikes(part)
	f.excuses = append(f.excuses, part)
	return func() { _ = unmount(dir) }, true
}
