package acl

import (
	"fmt"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// Operation is an operation on a job, named as in Hadoop if Hadoop has it.
type Operation string

// The operations on a job. Those listed in modifying change the job, and the others only show it.
const (
	ViewDetails  Operation = "VIEW_JOB_DETAILS"
	ViewCounters Operation = "VIEW_JOB_COUNTERS"
	ViewLogs     Operation = "VIEW_TASK_LOGS"
	Kill         Operation = "KILL_JOB"
	KillTask     Operation = "KILL_TASK"
	FailTask     Operation = "FAIL_TASK"
	SetPriority  Operation = "SET_JOB_PRIORITY"
	SetDeadline  Operation = "SET_JOB_DEADLINE"
	Move         Operation = "MOVE_JOB"
)

var modifying = []Operation{Kill, KillTask, FailTask, SetPriority, SetDeadline, Move}

// A Job contains the properties of a job that determine who may see and change it.
type Job struct {
	ID, Owner, Queue string
	View, Modify     string // mapreduce.job.acl-view-job, mapreduce.job.acl-modify-job
}

// A Queue contains the access control lists of a queue.
type Queue struct {
	Submit     List // mapred.queue.NAME.acl-submit-job
	Administer List // mapred.queue.NAME.acl-administer-jobs
}

// Rules are a daemon's settings for access control lists. They are immutable.
type Rules struct {
	// Enabled is mapreduce.cluster.acls.enabled. If it is false, all users may see all jobs and
	// submit to all queues, and the access control lists of jobs and queues have no effect.
	Enabled bool
	Me      string // user of the daemon's process, who is always an administrator
	Admins  List   // mapreduce.cluster.administrators
	Queues  map[string]Queue
}

// FromConf reads the rules from a configuration. It leaves Queues empty.
func FromConf(r *conf.Reader) *Rules {
	return &Rules{Enabled: conf.ClusterACLsEnabled.From(r), Me: passwd.Me(),
		Admins: Parse(conf.ClusterAdministrators.Get(r.Conf))}
}

// Admin reports whether the user is an administrator.
func (r *Rules) Admin(user string) bool { return user == r.Me || r.Admins.Has(user) }

// All reports whether the user may perform op on every job. If so, the caller need not look up a
// job in order to call Job. For the meaning of user, see Job.
func (r *Rules) All(op Operation, user string) bool {
	return user == "" || !r.Enabled && !slices.Contains(modifying, op) || r.Admin(user)
}

// Job returns an error of kind Permission unless the user may perform op on j. The job's user and
// administrators always may. The caller must have verified user. The user "" is a caller that has
// proved only that it knows the cluster's secret. It may perform every operation.
func (r *Rules) Job(op Operation, user string, j *Job) error {
	list, key := j.View, conf.JobACLViewJob.Name
	if slices.Contains(modifying, op) {
		list, key = j.Modify, conf.JobACLModifyJob.Name
	}
	switch {
	case user == j.Owner, r.All(op, user),
		r.Enabled && (Parse(list).Has(user) || r.Queues[j.Queue].Administer.Has(user)):
		return nil
	}
	remedy := "ask the job's user " + j.Owner + " or an administrator"
	if r.Enabled {
		remedy += "; those in " + key + " of the job and in acl-administer-jobs of the queue may, too"
	}
	return failure.New(failure.Permission, "access", j.ID,
		fmt.Errorf("User %s cannot perform operation %s on %s that is in the queue %s", user, op, j.ID, j.Queue)).Fix(remedy)
}

// Submit returns an error of kind Permission unless the user may submit jobs to the queue. For the
// meaning of user, see Job.
func (r *Rules) Submit(user, queue string) error {
	if r.MaySubmit(user, queue) {
		return nil
	}
	return failure.New(failure.Permission, "submit to queue", queue,
		fmt.Errorf("User %s cannot perform operation SUBMIT_JOB on queue %s.\n Please run \"hadoop queue -showacls\" "+
			"command to find the queues you have access to .", user, queue))
}

// MaySubmit reports whether the user may submit jobs to the queue.
func (r *Rules) MaySubmit(user, queue string) bool {
	return user == "" || !r.Enabled || r.Admin(user) || r.Queues[queue].Submit.Has(user)
}

// MayAdminister reports whether the user may see and change the jobs of all users in the queue.
func (r *Rules) MayAdminister(user, queue string) bool {
	return user == "" || r.Admin(user) || r.Enabled && r.Queues[queue].Administer.Has(user)
}
