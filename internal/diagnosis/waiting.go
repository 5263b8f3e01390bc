package diagnosis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Live provides the state of a JobTracker.
type Live interface {
	Cluster(context.Context) (*status.Cluster, error)
	Scheduler(ctx context.Context, user string) (*status.Scheduler, error)
}

// Of explains why a job makes no progress. j contains the job's attempts.
func Of(ctx context.Context, live Live, j *status.Job) (Report, error) {
	cluster, err := live.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	s, err := live.Scheduler(ctx, "")
	if err != nil {
		return nil, err
	}
	return Waiting(j, cluster, s), nil
}

// Waiting explains why a job makes no progress. j contains the job's attempts.
func Waiting(j *status.Job, cluster *status.Cluster, s *status.Scheduler) (r Report) {
	switch j.State {
	case job.Prep:
		r.Add(Note, "state", "", "submitted but not yet admitted")
	case job.Running:
		r.Add(OK, "state", "", "running: %d of %d maps and %d of %d reduces are done, %d and %d are running",
			j.Maps.Done, j.Maps.Total, j.Reduces.Done, j.Reduces.Total, j.Maps.Running, j.Reduces.Running)
	default:
		r.Add(Note, "state", "", "%s", strings.TrimSpace("the job is "+j.State.String()+" and does not wait. "+j.Diagnostics))
		return r
	}
	r.capacity(j, cluster, s)
	r.queueAhead(j, s.Jobs, s.Name)
	r.slowStart(j)
	r.earlyReduces(j, s.Jobs)
	r.failures(j)
	if len(r) == 1 {
		r.Add(OK, "waiting", "", "nothing blocks the job; its tasks run as slots become free")
	}
	return r
}

// capacity reports whether healthy TaskTrackers or free slots are missing. If slots are free but
// the job does not get them, capacity reports what may hold the job back.
func (r *Report) capacity(j *status.Job, cluster *status.Cluster, s *status.Scheduler) {
	if len(cluster.Trackers) == 0 {
		r.Fail(failure.Node, "TaskTrackers", "start one: howdah tasktracker", "no TaskTracker has joined, "+
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
			r.Add(Warn, "TaskTracker", "see its log", "%s gets no work: %s", t.Name, t.Why)
			continue
		}
		healthy++
		maps.see(t, t.Maps.Total-t.Maps.Used)
		reduces.see(t, t.Reduces.Total-t.Reduces.Used)
	}
	if healthy == 0 {
		r.Fail(failure.Node, "TaskTrackers", "see their logs", "none of %d can take work", len(cluster.Trackers))
		return
	}
	r.slots(maps)
	r.slots(reduces)
	if maps.held() || reduces.held() {
		r.heldBack(j, s, maps, reduces)
	}
}

// queueAhead reports the jobs that the policy serves before j, for policies with an order of jobs that
// depends only on priorities or deadlines.
func (r *Report) queueAhead(j *status.Job, others []*status.Job, policy string) {
	order, ok := orders[policy]
	if !ok {
		return
	}
	ahead := slices.DeleteFunc(slices.Clone(others), func(o *status.Job) bool { return order.compare(o, j) >= 0 })
	if len(ahead) == 0 {
		return
	}
	slices.SortFunc(ahead, order.compare)
	var names []string
	for _, o := range ahead {
		names = append(names, fmt.Sprintf("%s (%s)", o.ID, order.rank(o)))
	}
	r.Add(Note, "jobs ahead", order.remedy(j, ahead[0]), "%s ahead of this job (%s): %s", plural.Of(len(ahead), "job"),
		order.rank(j), shorten(names))
}

// InOrder returns the unfinished jobs in the order in which the scheduler serves them. It reports whether
// there is such an order. Schedulers with shares have none.
func InOrder(s *status.Scheduler) ([]*status.Job, bool) {
	order, ok := orders[s.Name]
	if !ok {
		return s.Jobs, false
	}
	return slices.SortedFunc(slices.Values(s.Jobs), order.compare), true
}

// order is the order in which a policy serves jobs.
type order struct {
	compare func(a, b *status.Job) int
	rank    func(*status.Job) string
	remedy  func(j, first *status.Job) string // moves j before first; "" if nothing does
}

var byPriority = order{
	compare: comparePriority,
	rank:    func(j *status.Job) string { return j.Priority.String() },
	remedy: func(j, first *status.Job) string {
		if first.Priority >= job.VeryHigh {
			return ""
		}
		return fmt.Sprintf("howdah job -set-priority %s %s moves it to the front", j.ID, first.Priority+1)
	},
}

func comparePriority(a, b *status.Job) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.SubmitMs, b.SubmitMs),
		cmp.Compare(a.ID.Seq, b.ID.Seq))
}

var byDeadline = order{
	compare: func(a, b *status.Job) int {
		none := func(j *status.Job) int { return cmp.Compare(0, min(j.DeadlineMs, 1)) } // -1 for a job with a deadline
		return cmp.Or(cmp.Compare(none(a), none(b)), cmp.Compare(a.DeadlineMs, b.DeadlineMs), comparePriority(a, b))
	},
	rank: func(j *status.Job) string {
		if j.DeadlineMs == 0 {
			return "no deadline"
		}
		return "deadline " + time.UnixMilli(j.DeadlineMs).Format(time.TimeOnly)
	},
	remedy: func(j, _ *status.Job) string {
		return fmt.Sprintf("howdah job -set-deadline %s with an earlier time moves it to the front", j.ID)
	},
}

// orders has the order of each policy that has one. Policies with shares are missing.
var orders = map[string]order{"fifo": byPriority, "fifo-dhfs": byPriority,
	"maxedf": byDeadline, "minedf": byDeadline, "minedf-wc": byDeadline}

// shorten lists at most five names.
func shorten(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", and others"
	}
	return strings.Join(names, ", ")
}

func (r *Report) slowStart(j *status.Job) {
	if j.Reduces.Total > 0 && j.Reduces.Running == 0 && j.Reduces.Done == 0 && j.Maps.Done < j.Maps.Total {
		r.Add(Note, "reduces", "", "they start when enough maps are done (mapreduce.job.reduce.slowstart.completedmaps)")
	}
}

// EarlyReducesRemedy says what helps a job that waits because early reduces of other jobs occupy all
// reduce slots.
const EarlyReducesRemedy = "submit such jobs with mapreduce.job.reduce.slowstart.completedmaps=1; between jobs of " +
	"different pools, use the scheduler pd-dhfs, or fair with mapred.fairscheduler.preemption=true, and minReduces " +
	"and minSharePreemptionTimeout for the waiting job's pool"

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
		r.Add(Note, "early reduces", EarlyReducesRemedy, "reduces of %s occupy slots while they wait for maps: %s",
			plural.Of(len(early), "job"), shorten(early))
	}
}

// failures reports at most three failed attempts, the last ones in the order of their IDs.
func (r *Report) failures(j *status.Job) {
	shown := 0
	for _, a := range slices.Backward(j.Attempts) {
		if a.State == job.AttemptFailed && shown < 3 {
			shown++
			r.Add(Warn, "failed attempt", "howdah job -logs "+j.ID.String()+" "+a.ID.String(),
				"%s on %s: %s", a.ID, a.Tracker, a.Diagnostics)
		}
	}
}
