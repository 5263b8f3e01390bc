package minicluster

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Left lists what the cluster's jobs have left behind, assuming that all of them have ended. It
// looks for temporary files in outputs, task processes, attempts' files on local disks, and job
// files in the staging and system directories. It ignores logs and programs that the next job may
// need.
func (c *Cluster) Left(outs ...string) []string {
	return append(Temporary(outs...), append(c.Tasks(), c.jobFiles()...)...)
}

// Temporary lists the temporary files in job outputs.
func Temporary(outs ...string) []string {
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

// Tasks lists the cluster's processes that have an attempt's directory in their arguments or as
// their working directory.
func (c *Cluster) Tasks() []string {
	var left []string
	for _, p := range c.Processes() {
		if strings.Contains(p, "/jobcache/") {
			left = append(left, p)
		}
	}
	return left
}

// jobFiles lists the cluster's files and directories whose names begin with "job_" or "attempt_".
func (c *Cluster) jobFiles() []string {
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
