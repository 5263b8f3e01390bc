package daemon

import (
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// This file defines the layout of the local directories and the log directory. The directories of
// jobs, attempts, and logs are the same as Hadoop's, so users find a task's files in the usual
// places.

const (
	trackerDir = "taskTracker"
	jobCache   = "jobcache"
	distCache  = "distcache" // shipped programs, by user; kept across restarts
	cacheFiles = "distfiles" // copies of the files in jobs' distributed caches
	mapOutputs = "mapOutput" // a link for each map attempt, by job; used by the HTTP server and local reducers
	workDir    = "work"
	outputDir  = "output"
	userLogs   = "userlogs"
	jobConf    = "job.xml"
)

// jobHome returns the directory for a job's files below one local directory.
func jobHome(local, user, jobID string) string {
	return filepath.Join(local, trackerDir, user, jobCache, jobID)
}

// cacheDir returns the directory for distributed-cache copies below one local directory.
func cacheDir(local string) string { return filepath.Join(local, trackerDir, cacheFiles) }

// attemptLogs returns the directory for an attempt's logs.
func attemptLogs(logDir, jobID, attemptID string) string {
	return filepath.Join(logDir, userLogs, jobID, attemptID)
}

// checkUser rejects a user name that is not a single path element or that equals the name of one of
// the TaskTracker's own directories. The check is necessary because user names are received from
// other machines.
func checkUser(user string) error {
	if user == "" || user == "." || user == ".." || strings.ContainsAny(user, "/\x00") || user == distCache ||
		user == cacheFiles || user == mapOutputs {
		return failure.New(failure.Usage, "localize job of user", user, nil).
			Fix("a user's name must be usable as the name of a directory")
	}
	return nil
}
