package daemon

import (
	"fmt"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// userUse is what the unfinished jobs of a user occupy.
type userUse struct{ jobs, conf int64 }

// limit sets the limits of one user and counts the jobs that an earlier JobTracker has accepted.
// confFile returns the local copy of a job's configuration.
func (j *jobs) limit(jobs, conf int64, confFile func(*tracker.JobInfo) string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.limits = userUse{jobs, conf}
	for seq, info := range j.live {
		if file, err := os.Stat(confFile(info)); err == nil {
			j.size[seq] = file.Size()
		}
		j.use(info.User, 1, j.size[seq])
	}
}

// use changes what a user's jobs occupy. The caller must hold mu.
func (j *jobs) use(user string, jobs, conf int64) {
	u := j.uses[user]
	if u == nil {
		u = &userUse{}
		j.uses[user] = u
	}
	u.jobs, u.conf = u.jobs+jobs, u.conf+conf
	if u.jobs == 0 {
		delete(j.uses, user)
	}
}

// add makes a job with a configuration of size bytes visible to trackers. If the user has too many
// unfinished jobs, the error is of kind Limit. If another submission has the job's number, it is of
// kind Exists.
func (j *jobs) add(info *tracker.JobInfo, size int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old := j.live[info.Job]; old != nil {
		if old.User != info.User || old.Owner != info.Owner {
			return errUsed(info.Id)
		}
		// The client repeats a call that may have had no effect.
		j.use(old.User, -1, -j.size[info.Job])
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
	case j.limits.conf > 0 && now.conf+size > j.limits.conf:
		why = fmt.Sprintf("the configurations of the unfinished jobs of %s would have %d bytes; the limit is %d",
			info.User, now.conf+size, j.limits.conf)
		key = conf.JobTrackerUserConfMaximum.Name
	default:
		j.live[info.Job], j.size[info.Job] = info, size
		j.use(info.User, 1, size)
		return nil
	}
	return errf(failure.Limit, "submit job", info.Id, "%s", why).
		Fix("wait until some have finished, or raise " + key + " of the JobTracker")
}
