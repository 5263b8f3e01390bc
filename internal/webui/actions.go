package webui

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	mrstatus "github.com/howdah/howdah/mrcluster/status"
)

// Rights knows what the sender of a request, whom the context identifies, may change. The pages offer
// only these changes. It must be safe for concurrent use. /api/v1, which makes the changes, checks the
// sender again.
type Rights interface {
	// MayChange reports whether the sender may change a job and its attempts.
	MayChange(context.Context, job.ID) bool
	// MoveTargets returns the queues and pools to which the sender may move jobs that MayChange permits.
	MoveTargets(context.Context) []string
	// MayAdminister reports whether the sender is an administrator.
	MayAdminister(context.Context) bool
}

// reader is the Rights of pages that change nothing.
type reader struct{}

func (reader) MayChange(context.Context, job.ID) bool { return false }
func (reader) MoveTargets(context.Context) []string   { return nil }
func (reader) MayAdminister(context.Context) bool     { return false }

// action is a change that a page offers: a button that opens a dialog, and a request to /api/v1.
type action struct {
	Key    string // unique in the page
	Name   string // text of the buttons
	Method string
	Path   string // below /api/v1; {name} stands for the name of the row
	Effect string // what the change does; {name} as in Path
	Rows   bool   // the rows of a table have the buttons
	Fields []field
}

// field is an input of an action's dialog.
type field struct {
	Name, Label string
	Query       bool // part of the query instead of the JSON body
	Value       string
	Choices     []string // nil means any text
	Number      bool     // the value is a number of at least 0
}

func why(query bool) field { return field{Name: "why", Label: "Reason (optional)", Query: query} }

// jobActions returns the changes of a job that the sender may make.
func jobActions(ctx context.Context, rights Rights, j *status.Job) []action {
	if j.FinishMs != 0 || !rights.MayChange(ctx, j.ID) {
		return nil
	}
	path, deadline := "/jobs/"+j.ID.String(), status.NoDeadline
	if j.DeadlineMs != 0 {
		deadline = time.UnixMilli(j.DeadlineMs).Format("2006-01-02T15:04:05.999Z07:00")
	}
	list := []action{
		{Key: "priority", Name: "Change priority", Method: "PATCH", Path: path,
			Effect: "The scheduler uses the new priority for the tasks that it assigns from now on.",
			Fields: []field{{Name: "priority", Label: "Priority", Value: j.Priority.String(),
				Choices: []string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}}}},
		{Key: "deadline", Name: "Change deadline", Method: "PATCH", Path: path,
			Effect: "Schedulers that plan by deadlines use the new one from now on. Enter a time, a duration from now such as " +
				"+2h, or " + status.NoDeadline + ".",
			Fields: []field{{Name: "deadline", Label: "Deadline", Value: deadline}}},
	}
	if targets := rights.MoveTargets(ctx); len(targets) > 0 {
		list = append(list, moveAction(path, j, targets))
	}
	return append(list,
		action{Key: "kill", Name: "Kill job", Method: "DELETE", Path: path,
			Effect: "All attempts of " + j.Name + " stop, and its output is discarded. This cannot be undone.",
			Fields: []field{why(true)}})
}

// moveAction returns the move of a job to one of the given queues and pools.
func moveAction(path string, j *status.Job, targets []string) action {
	return action{Key: "move", Name: "Move job", Method: "PATCH", Path: path,
		Effect: "The scheduler counts the job toward its new queue or pool. Running attempts continue. Access to the job " +
			"follows the lists of its new queue.",
		Fields: []field{{Name: "queue", Label: "Queue or pool", Value: cmp.Or(j.Pool, j.Queue), Choices: targets}}}
}

// attemptActions returns the changes of an attempt that the sender may make.
func attemptActions(ctx context.Context, rights Rights, a *status.Attempt) []action {
	if a.FinishMs != 0 || !rights.MayChange(ctx, a.ID.Job) {
		return nil
	}
	path := "/attempts/" + a.ID.String()
	return []action{
		{Key: "kill", Name: "Kill attempt", Method: "DELETE", Path: path, Fields: []field{why(true)},
			Effect: "The attempt stops and does not count as a failure. The task gets another attempt."},
		{Key: "fail", Name: "Fail attempt", Method: "DELETE", Path: path + "?fail=true", Fields: []field{why(true)},
			Effect: "The attempt stops and counts as a failure. The job fails if one of its tasks has too many failures."},
	}
}

// schedulerActions returns the changes of the scheduler that the sender may make. names are the
// schedulers to choose from.
func schedulerActions(ctx context.Context, rights Rights, now string, names []string) []action {
	if len(names) == 0 || !rights.MayAdminister(ctx) {
		return nil
	}
	return []action{{Key: "switch", Name: "Switch scheduler", Method: "PATCH", Path: "/scheduler",
		Effect: "The new scheduler assigns all tasks from now on. Running attempts continue. " +
			"After a restart, the JobTracker uses the configured scheduler again.",
		Fields: []field{{Name: "name", Label: "Scheduler", Value: now, Choices: names}}}}
}

// trackerActions returns the changes of TaskTrackers that the sender may make.
func trackerActions(ctx context.Context, rights Rights) []action {
	if !rights.MayAdminister(ctx) {
		return nil
	}
	const path = "/tasktrackers/{name}/drain"
	return []action{
		{Key: "drain", Name: "Drain", Method: "POST", Path: path, Rows: true,
			Effect: "The TaskTracker {name} gets no more work. A delayed drain lets its attempts finish and keeps its map " +
				"outputs until no job needs them. A rerun repeats the maps elsewhere. An immediate drain also stops the attempts.",
			Fields: []field{{Name: "how", Label: "How", Choices: []string{"delayed", "rerun", "immediate"}}, why(false)}},
		{Key: "undrain", Name: "End drain", Method: "DELETE", Path: path, Rows: true,
			Effect: "The TaskTracker {name} gets work again."},
	}
}

// clusterActions returns the changes of an MR-cluster. The manager's web port admits only
// administrators, who may make all of them.
func clusterActions(c *mrstatus.Cluster) []action {
	if c == nil || c.Doomed {
		return nil
	}
	return []action{{Key: "grow", Name: "Change size", Method: "PATCH", Path: "/mrclusters/" + c.Spec.Name,
		Effect: "While it is active, the MR-cluster has at least this number of nodes, including its " +
			plural.Of(c.Spec.Core, "core node") + ". Other MR-clusters may lose nodes. 0 returns the size to the weights.",
		Fields: []field{{Name: "operator_size", Label: "Minimum number of nodes", Value: strconv.Itoa(c.Size),
			Number: true}}}}
}

// To returns the address that the action's request is sent to.
func (a action) To() string { return "/api/v1" + a.Path }
