package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Waiting explains why a job makes no progress.
func Waiting(ctx context.Context, jobs *client.Client, id job.ID) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	j, err := jobs.Status(ctx, id, status.Query{Attempts: true})
	if err != nil {
		return nil, err
	}
	cluster, err := jobs.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	list, err := jobs.List(ctx, status.Filter{})
	if err != nil {
		return nil, err
	}
	s, err := jobs.Scheduler(ctx)
	if err != nil {
		return nil, err
	}
	var r Report
	r.explain(j, cluster, list, s)
	return r, nil
}

// explain derives the reasons from the JobTracker's status.
func (r *Report) explain(j *status.Job, cluster *status.Cluster, others []*status.Job, s *status.Scheduler) {
	switch j.State {
	case job.Prep:
		r.add(Note, "state", "", "submitted but not yet admitted")
	case job.Running:
		r.add(OK, "state", "", "running: %d of %d maps and %d of %d reduces are done, %d and %d are running",
			j.Maps.Done, j.Maps.Total, j.Reduces.Done, j.Reduces.Total, j.Maps.Running, j.Reduces.Running)
	default:
		r.add(Note, "state", "", "%s", strings.TrimSpace("the job is "+j.State.String()+" and does not wait. "+j.Diagnostics))
		return
	}
	r.capacity(j, cluster, s)
	r.queueAhead(j, others)
	r.slowStart(j)
	r.earlyReduces(j, others)
	r.failures(j)
	if len(*r) == 1 {
		r.add(OK, "waiting", "", "nothing blocks the job; its tasks run as slots become free")
	}
}

// capacity reports whether healthy TaskTrackers or free slots are missing. If slots are free but
// the job does not get them, capacity reports what may hold the job back.
func (r *Report) capacity(j *status.Job, cluster *status.Cluster, s *status.Scheduler) {
	if len(cluster.Trackers) == 0 {
		r.fail(failure.Node, "TaskTrackers", "start one: howdah tasktracker", "no TaskTracker has joined, "+
			"so no job can run")
		return
	}
	maps, reduces := want{kind: "map", waiting: j.Maps.Total - j.Maps.Done - j.Maps.Running}, want{kind: "reduce",
		waiting: j.Reduces.Total - j.Reduces.Done - j.Reduces.Running}
	if startsReduces := j.Maps.Done == j.Maps.Total || j.Reduces.Running+j.Reduces.Done > 0; !startsReduces {
		reduces.later = reduces.waiting
	}
	healthy := 0
	for _, t := range cluster.Trackers {
		if t.Blacklisted {
			r.add(Warn, "TaskTracker", "see its log", "%s gets no work: %s", t.Name, t.Why)
			continue
		}
		healthy++
		maps.see(t, t.Maps.Total-t.Maps.Used)
		reduces.see(t, t.Reduces.Total-t.Reduces.Used)
	}
	if healthy == 0 {
		r.fail(failure.Node, "TaskTrackers", "see their logs", "none of %d can take work", len(cluster.Trackers))
		return
	}
	r.slots(maps)
	r.slots(reduces)
	if maps.held() || reduces.held() {
		r.heldBack(j, s, maps, reduces)
	}
}

// queueAhead reports the jobs that have a higher priority than j, or the same priority and an
// earlier submit time.
func (r *Report) queueAhead(j *status.Job, others []*status.Job) {
	var ahead []string
	for _, o := range others {
		if o.ID != j.ID && (o.Priority > j.Priority || o.Priority == j.Priority && o.SubmitMs < j.SubmitMs) {
			ahead = append(ahead, fmt.Sprintf("%s (%s)", o.ID, o.Priority))
		}
	}
	if len(ahead) > 0 {
		r.add(Note, "jobs ahead", "howdah job -set-priority "+j.ID.String()+" HIGH moves it forward",
			"%s ahead of this job: %s", plural.Of(len(ahead), "job"), shorten(ahead))
	}
}

func shorten(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprint(names[:most], " and others")
	}
	return fmt.Sprint(names)
}

func (r *Report) slowStart(j *status.Job) {
	if j.Reduces.Total > 0 && j.Reduces.Running == 0 && j.Reduces.Done == 0 && j.Maps.Done < j.Maps.Total {
		r.add(Note, "reduces", "", "they start when enough maps are done (mapreduce.job.reduce.slowstart.completedmaps)")
	}
}

// earlyReduces reports the jobs whose reduces occupy slots but still wait for maps, if all reduce
// slots are in use and j needs one.
func (r *Report) earlyReduces(j *status.Job, others []*status.Job) {
	if !slices.ContainsFunc(*r, func(f Finding) bool { return f.Check == "reduce slots" }) {
		return
	}
	var early []string
	for _, o := range others {
		if o.ID != j.ID && o.Reduces.Running > 0 && o.Maps.Done < o.Maps.Total {
			early = append(early, fmt.Sprintf("%s (%s; %s to go)", o.ID, plural.Of(int(o.Reduces.Running), "reduce"),
				plural.Of(int(o.Maps.Total-o.Maps.Done), "map")))
		}
	}
	if len(early) > 0 {
		r.add(Note, "early reduces", "submit such jobs with mapreduce.job.reduce.slowstart.completedmaps=1, enable "+
			"mapred.fairscheduler.preemption, or use the scheduler pd-dhfs",
			"reduces of %s occupy slots while they wait for maps: %s", plural.Of(len(early), "job"), shorten(early))
	}
}

// failures reports at most three failed attempts, the last ones in the order of their IDs.
func (r *Report) failures(j *status.Job) {
	shown := 0
	for _, a := range slices.Backward(j.Attempts) {
		if a.State == job.AttemptFailed && shown < 3 {
			shown++
			r.add(Warn, "failed attempt", "howdah job -logs "+j.ID.String()+" "+a.ID.String(),
				"%s on %s: %s", a.ID, a.Tracker, a.Diagnostics)
		}
	}
}
