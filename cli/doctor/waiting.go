package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Waiting answers why a job does not get on.
func Waiting(ctx context.Context, jobs client.JobsClient, id string) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	j, err := jobs.Status(ctx, &client.StatusRequest{Id: id, Attempts: true})
	if err != nil {
		return nil, err
	}
	cluster, err := jobs.Cluster(ctx, &client.Empty{})
	if err != nil {
		return nil, err
	}
	list, err := jobs.List(ctx, &client.ListRequest{})
	if err != nil {
		return nil, err
	}
	s, err := jobs.Scheduler(ctx, &client.Empty{})
	if err != nil {
		return nil, err
	}
	var r Report
	r.explain(j, cluster, list.Job, s)
	return r, nil
}

// explain finds the reasons from what the JobTracker shows.
func (r *Report) explain(j *client.JobStatus, cluster *client.ClusterStatus, others []*client.JobStatus, s *client.SchedulerStatus) {
	switch j.State {
	case job.Prep.String():
		r.add(Note, "state", "", "submitted, and not yet admitted")
	case job.Running.String():
		r.add(OK, "state", "", "running: %d of %d maps and %d of %d reduces are done, %d and %d run now",
			j.MapsDone, j.Maps, j.ReducesDone, j.Reduces, j.MapsRunning, j.ReducesRunning)
	default:
		r.add(Note, "state", "", "%s: it does not wait for anything. %s", j.State, j.Diagnostics)
		return
	}
	r.capacity(j, cluster, s)
	r.queueAhead(j, others)
	r.slowStart(j)
	r.failures(j)
	if len(*r) == 1 {
		r.add(OK, "waiting", "", "nothing holds it up: its tasks run as slots become free")
	}
}

// capacity compares what the job wants with the slots that are free.
func (r *Report) capacity(j *client.JobStatus, cluster *client.ClusterStatus, s *client.SchedulerStatus) {
	if len(cluster.Tracker) == 0 {
		r.fail(failure.Node, "TaskTrackers", "start one: howdah tasktracker", "none has joined: no job can run")
		return
	}
	maps, reduces := want{kind: "map", waiting: j.Maps - j.MapsDone - j.MapsRunning}, want{kind: "reduce", waiting: j.Reduces - j.ReducesDone - j.ReducesRunning}
	if startsReduces := j.MapsDone == j.Maps || j.ReducesRunning+j.ReducesDone > 0; !startsReduces {
		reduces.later = reduces.waiting
	}
	healthy := 0
	for _, t := range cluster.Tracker {
		if t.Blacklisted {
			r.add(Warn, "TaskTracker", "look at its log", "%s gets no work: %s", t.Name, t.Why)
			continue
		}
		healthy++
		maps.see(t, t.MapSlots-t.MapsUsed)
		reduces.see(t, t.ReduceSlots-t.ReducesUsed)
	}
	if healthy == 0 {
		r.fail(failure.Node, "TaskTrackers", "look at their logs", "none of %d may take work", len(cluster.Tracker))
		return
	}
	r.slots(maps)
	r.slots(reduces)
	if maps.held() || reduces.held() {
		r.heldBack(j, s, maps, reduces)
	}
}

// queueAhead counts the running jobs that come first by priority and submit time.
func (r *Report) queueAhead(j *client.JobStatus, others []*client.JobStatus) {
	order := []string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}
	mine := slices.Index(order, j.Priority)
	var ahead []string
	for _, o := range others {
		its := slices.Index(order, o.Priority)
		if o.Id != j.Id && (its < mine || its == mine && o.SubmitMs < j.SubmitMs) {
			ahead = append(ahead, fmt.Sprintf("%s (%s)", o.Id, o.Priority))
		}
	}
	if len(ahead) > 0 {
		r.add(Note, "jobs ahead", "howdah job -set-priority "+j.Id+" HIGH moves it forward", "%d jobs come first: %s", len(ahead), shorten(ahead))
	}
}

func shorten(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprint(names[:most], " and others")
	}
	return fmt.Sprint(names)
}

func (r *Report) slowStart(j *client.JobStatus) {
	if j.Reduces > 0 && j.ReducesRunning == 0 && j.ReducesDone == 0 && j.MapsDone < j.Maps {
		r.add(Note, "reduces", "", "they start when enough maps are done (mapreduce.job.reduce.slowstart.completedmaps)")
	}
}

// failures shows the last attempts that went wrong.
func (r *Report) failures(j *client.JobStatus) {
	shown := 0
	for _, a := range slices.Backward(j.Attempt) {
		if a.State == job.AttemptFailed.String() && shown < 3 {
			shown++
			r.add(Warn, "failed attempt", "howdah job -logs "+j.Id+" "+a.Id, "%s on %s: %s", a.Id, a.Tracker, a.Diagnostics)
		}
	}
}
