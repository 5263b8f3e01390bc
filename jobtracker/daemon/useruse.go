package daemon

import (
	"fmt"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// maxCredentials is the maximum size of a job's credentials, in bytes. A delegation token has a few
// hundred.
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
			info.Memory = int64(len(info.Credentials)) + jobtracker.SplitMemory(make([]job.SplitMeta, len(info.SplitOffset)))
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
	why, key := "", ""
	switch {
	case j.limits.jobs > 0 && now.jobs >= j.limits.jobs:
		why, key = fmt.Sprintf("%s has %d unfinished jobs", info.User, now.jobs), conf.JobTrackerUserJobsMaximum.Name
	case j.limits.memory > 0 && now.memory+info.Memory > j.limits.memory:
		why = fmt.Sprintf("the configurations, credentials, and splits of the unfinished jobs of %s would occupy %d bytes; "+
			"the limit is %d", info.User, now.memory+info.Memory, j.limits.memory)
		key = conf.JobTrackerUserConfMaximum.Name
	default:
		j.live[info.Job] = info
		j.use(info.User, 1, info.Memory)
		return nil
	}
	return errf(failure.Limit, "submit job", info.Id, "%s", why).
		Fix("wait until some have finished, or raise " + key + " of the JobTracker")
}
