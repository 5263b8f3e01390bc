package daemon

import (
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// maxCredentials is the maximum size of a job's credentials, in bytes. A delegation token has a few
// hundred bytes.
const maxCredentials = 256 << 10

// userUse is the number of a user's unfinished jobs and the memory that they occupy.
type userUse struct{ jobs, memory int64 }

// limit sets the limits that apply to each user, and counts the jobs that an earlier JobTracker has
// accepted. confFile returns the local copy of a job's configuration.
func (j *jobs) limit(jobs, memory int64, confFile func(*tracker.JobInfo) string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.limits = userUse{jobs, memory}
	for _, info := range j.live {
		if info.Memory == 0 { // an older version has accepted the job
			info.Memory = int64(len(info.Credentials)) + staging.SplitMemory*int64(info.Maps)
			if file, err := os.Stat(confFile(info)); err == nil {
				info.Memory += file.Size()
			}
		}
		j.use(info.User, 1, info.Memory)
	}
}

// use adds the given numbers, which can be negative, to a user's number of jobs and memory. The
// caller must hold mu.
func (j *jobs) use(user string, jobs, memory int64) {
	u := j.uses[user]
	if u == nil {
		u = &userUse{}
		j.uses[user] = u
	}
	u.jobs, u.memory = u.jobs+jobs, u.memory+memory
	if u.jobs == 0 {
		delete(j.uses, user)
	}
}

// add makes a job visible to trackers. If the user's unfinished jobs are too many or too large, the error
// is of kind Limit. If another submission has the job's number, it is of kind Exists.
func (j *jobs) add(info *tracker.JobInfo) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old := j.live[info.Job]; old != nil {
		if old.User != info.User || old.Owner != info.Owner {
			return errUsed(info.Id)
		}
		// The client is retrying a call that might have had no effect, so info replaces old.
		j.use(old.User, -1, -old.Memory)
		delete(j.live, info.Job)
	}
	var now userUse
	if u := j.uses[info.User]; u != nil {
		now = *u
	}
	switch {
	case j.limits.jobs > 0 && now.jobs >= j.limits.jobs:
		return errUserLimit(info.Id, conf.JobTrackerUserJobsMaximum.Name, "%s has %d unfinished jobs", info.User, now.jobs)
	case j.limits.memory > 0 && now.memory+info.Memory > j.limits.memory:
		return j.tooLarge(info.Id, info.User)
	default:
		j.live[info.Job] = info
		j.use(info.User, 1, info.Memory)
		return nil
	}
}

// room returns the memory that the splits of a user's new job may occupy, in bytes, if the rest of the
// job occupies used bytes. 0 means no limit. If there is no room, the error is of kind Limit.
func (j *jobs) room(id job.ID, user string, used int64) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.limits.memory == 0 {
		return 0, nil
	}
	if u := j.uses[user]; u != nil {
		used += u.memory
	}
	if old := j.live[id.Seq]; old != nil && old.User == user {
		used -= old.Memory // the client repeats a call, as in add
	}
	if used >= j.limits.memory {
		return 0, j.tooLarge(id.String(), user)
	}
	return j.limits.memory - used, nil
}

// tooLarge returns the error for a job that exceeds its user's memory.
func (j *jobs) tooLarge(id, user string) error {
	return errUserLimit(id, conf.JobTrackerUserConfMaximum.Name, "the configurations, credentials, and splits of the "+
		"unfinished jobs of %s would occupy more than %d bytes", user, j.limits.memory)
}

func errUserLimit(id, key, format string, args ...any) error {
	return errf(failure.Limit, "submit job", id, format, args...).
		Fix("wait until some have finished, or raise " + key + " of the JobTracker")
}
