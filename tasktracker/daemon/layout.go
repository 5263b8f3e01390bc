package daemon

import (
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// This file is the layout below the local directories and the log directory. It is Hadoop's, so that whoever looks for a task's
// files finds them where they always were.

const (
	trackerDir = "taskTracker"
	jobCache   = "jobcache"
	distCache  = "distcache" // shipped programs, kept over a restart
	cacheFiles = "distfiles" // copies of what jobs' distributed caches hold
	mapOutputs = "mapOutput" // one link per map attempt, by job: what the HTTP server and reducers on this node read
	workDir    = "work"
	outputDir  = "output"
	userLogs   = "userlogs"
	jobConf    = "job.xml"
)

// jobHome is where a job's files lie below one local directory.
func jobHome(local, user, jobID string) string {
	return filepath.Join(local, trackerDir, user, jobCache, jobID)
}

// programFile is where a shipped program lies, by the digest of its identity.
func programFile(local, digest string) string {
	return filepath.Join(local, trackerDir, distCache, digest)
}

// cacheDir is where copies of the distributed cache lie below one local directory.
func cacheDir(local string) string { return filepath.Join(local, trackerDir, cacheFiles) }

// attemptLogs is where an attempt's stdout, stderr and syslog lie.
func attemptLogs(logDir, jobID, attemptID string) string {
	return filepath.Join(logDir, userLogs, jobID, attemptID)
}

// checkUser refuses names that are no single path element. They come from another machine.
func checkUser(user string) error {
	if user == "" || user == "." || user == ".." || strings.ContainsAny(user, "/\x00") || user == distCache || user == cacheFiles || user == mapOutputs {
		return failure.New(failure.Usage, "localise job of user", user, nil).Fix("a user's name must be usable as the name of a directory")
	}
	return nil
}
