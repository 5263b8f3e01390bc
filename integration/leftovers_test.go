//go:build integration

package integration

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/howdah/howdah/integration/minicluster"
)

// nothingLeft fails the test if a cluster's jobs leave files or processes behind after all of them
// have ended. It looks for temporary files in outputs, task processes, attempts' files on local
// disks, and job files in the staging and system directories. It ignores logs, and programs that
// the next job may need.
func nothingLeft(t testing.TB, c *minicluster.Cluster, outs ...string) {
	t.Helper()
	var left []string
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		left = append(temporary(outs), append(tasks(c), jobFiles(c)...)...)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left over:\n%s", strings.Join(left, "\n"))
		}
	}
}

func temporary(outs []string) []string {
	var left []string
	for _, out := range outs {
		_ = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
			if err == nil && (d.Name() == "_temporary" || strings.HasSuffix(path, ".tmp")) {
				left = append(left, path)
			}
			return nil
		})
	}
	return left
}

// tasks lists the processes that run in an attempt's directory.
func tasks(c *minicluster.Cluster) []string {
	var left []string
	for _, p := range c.Processes() {
		if strings.Contains(p, "/jobcache/") {
			left = append(left, p)
		}
	}
	return left
}

// jobFiles lists files and directories with the name of a job or an attempt.
func jobFiles(c *minicluster.Cluster) []string {
	var left []string
	for _, root := range []string{"local", "staging", "system", "tmp"} {
		_ = filepath.WalkDir(filepath.Join(c.Dir, root), func(path string, d fs.DirEntry, err error) error {
			if err == nil && (strings.HasPrefix(d.Name(), "job_") || strings.HasPrefix(d.Name(), "attempt_")) {
				left = append(left, path)
				return fs.SkipDir
			}
			return nil
		})
	}
	return left
}
