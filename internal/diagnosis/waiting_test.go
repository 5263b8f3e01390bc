package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

func find(r Report, check string) (out []Finding) {
	for _, f := range r {
		if f.Check == check {
			out = append(out, f)
		}
	}
	return out
}

func TestWhyAJobWaits(t *testing.T) {
	slots := func(total, used int32) status.Slots { return status.Slots{Total: total, Used: used} }
	cluster := func(t *status.Tracker) *status.Cluster { return &status.Cluster{Trackers: []*status.Tracker{t}} }
	id := func(n int32) job.ID { return job.ID{Cluster: "1", Seq: n} }
	busy := cluster(&status.Tracker{Name: "t", Maps: slots(2, 2), Reduces: slots(2, 2)})
	idle := cluster(&status.Tracker{Name: "t", Maps: slots(2, 0), Reduces: slots(2, 0)})
	sick := cluster(&status.Tracker{Name: "t", Maps: slots(2, 0), Blacklisted: true, Why: "4 failures"})
	running := &status.Job{ID: id(2), State: job.Running, SubmitMs: 2, Maps: status.Tasks{Total: 4},
		Reduces: status.Tasks{Total: 1}}
	oneMap := status.Tasks{Total: 1, Running: 1}
	failed := &status.Job{ID: id(2), State: job.Running, Maps: oneMap,
		Attempts: []*status.Attempt{{State: job.AttemptFailed, Diagnostics: "no luck"}}}
	scheduler := &status.Scheduler{Name: "reverse-adaptive", Problem: "bad.txt:3", Groups: []*status.Group{{Name: "other"},
		{Name: "etl", Maps: status.Shares{Running: 1, Fair: 2, Max: 3, Demand: 4}, Reduces: status.Shares{Max: -1}}}}
	poor := &status.Job{ID: id(2), State: job.Running, Maps: status.Tasks{Total: 4}, Pool: "etl", DeadlineMs: 1,
		PredictedFinishMs: 2}
	maps := &status.Job{ID: id(2), State: job.Running, Maps: status.Tasks{Total: 4, Done: 4},
		Reduces: status.Tasks{Total: 3, Running: 1}}
	for name, x := range map[string]struct {
		job     *status.Job
		cluster *status.Cluster
		others  []*status.Job
		check   string
		detail  string
	}{
		"no trackers":    {running, &status.Cluster{}, nil, "TaskTrackers", "no TaskTracker has joined"},
		"all sick":       {running, sick, nil, "TaskTrackers", "none of 1 can take work"},
		"no map slot":    {running, busy, nil, "map slots", "4 maps are waiting"},
		"no reduce slot": {running, busy, nil, "reduce slots", "1 reduces are waiting"},
		"held back": {poor, idle, nil, "held back",
			"4 maps are waiting and 2 map slots are free; scheduler reverse-adaptive " +
				"does not assign them to the job"},
		"reduces held": {maps, idle, nil, "held back", "2 reduces are waiting and 2 reduce slots are free"},
		"its pool": {poor, idle, nil, "pool", "etl: 1 map slots in use, share 2, demand 4, at most 3; 0 " +
			"reduce slots in use, share 0, demand 0"},
		"its deadline": {poor, idle, nil, "deadline", "missed"},
		"prediction":   {poor, idle, nil, "prediction", "expected to end"},
		"bad file":     {poor, idle, nil, "scheduler", "bad.txt:3"},
		"early reduces": {maps, busy, []*status.Job{{ID: id(4), State: job.Running,
			Maps: status.Tasks{Total: 2000, Done: 100}, Reduces: status.Tasks{Total: 8, Running: 2}}}, "early reduces",
			"reduces of 1 job occupy slots while they wait for maps: job_1_0004 (2 reduces; 1900 maps to go)"},
		"slow start": {running, idle, nil, "reduces", "when enough maps are done"},
		"failures":   {failed, idle, nil, "failed attempt", "no luck"},
		"over":       {&status.Job{State: job.Failed, Diagnostics: "bad luck"}, idle, nil, "state", "bad luck"},
		"nothing": {&status.Job{ID: id(2), State: job.Running, Maps: oneMap}, idle, nil, "waiting",
			"nothing blocks the job"},
	} {
		scheduler.Jobs = x.others
		r := Waiting(x.job, x.cluster, scheduler)
		found := find(r, x.check)
		require.NotEmpty(t, found, "%s: %v", name, r)
		require.Contains(t, found[0].Detail, x.detail, name)
	}

	scheduler.Jobs = []*status.Job{maps, {ID: id(4), Maps: oneMap, Reduces: status.Tasks{Total: 2}}}
	r := Waiting(maps, busy, scheduler)
	require.Empty(t, find(r, "early reduces"), "no other job's reduces run")

	full := cluster(&status.Tracker{Name: "t", Maps: slots(2, 0), Memory: slots(1024, 1024)})
	for name, cluster := range map[string]*status.Cluster{"no slot": busy, "no memory": full, "no tracker": sick} {
		r := Waiting(poor, cluster, scheduler)
		require.Empty(t, find(r, "held back"), name)
	}
}

// TestJobsAhead checks that the jobs ahead are those of the policy's own order, and that the advice
// helps.
func TestJobsAhead(t *testing.T) {
	make := func(seq int32, p job.Priority, submit, deadline int64) *status.Job {
		return &status.Job{ID: job.ID{Cluster: "1", Seq: seq}, State: job.Running, Priority: p, SubmitMs: submit,
			DeadlineMs: deadline, Maps: status.Tasks{Total: 1}}
	}
	j := make(5, job.High, 50, 9_000)
	for name, x := range map[string]struct {
		policy         string
		others         []*status.Job
		detail, remedy string
	}{
		"earlier": {"fifo", []*status.Job{make(1, job.High, 1, 0), make(2, job.Normal, 2, 0), j},
			"1 job ahead of this job (HIGH): job_1_0001 (HIGH)",
			"howdah job -set-priority job_1_0005 VERY_HIGH moves it to the front"},
		"higher": {"fifo-dhfs", []*status.Job{make(1, job.High, 1, 0), make(7, job.VeryHigh, 70, 0)},
			"2 jobs ahead of this job (HIGH): job_1_0007 (VERY_HIGH), job_1_0001 (HIGH)", ""},
		"deadline": {"minedf", []*status.Job{make(1, job.VeryHigh, 1, 0), make(7, job.Low, 70, 8_000)},
			"1 job ahead of this job (deadline ",
			"howdah job -set-deadline job_1_0005 with an earlier time moves it to the front"},
		"shares": {"fair", []*status.Job{make(1, job.VeryHigh, 1, 0)}, "", ""},
		"alone":  {"fifo", []*status.Job{j, make(6, job.High, 60, 0)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := find(Waiting(j, &status.Cluster{}, &status.Scheduler{Name: x.policy, Jobs: x.others}), "jobs ahead")
			if x.detail == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Contains(t, found[0].Detail, x.detail)
			require.Equal(t, x.remedy, found[0].Remedy)
		})
	}
}

// TestInOrder checks that jobs come in the order of the policy's own queue: among equal deadlines, by
// priority and submission.
func TestInOrder(t *testing.T) {
	make := func(seq int32, p job.Priority, submit, deadline int64) *status.Job {
		return &status.Job{ID: job.ID{Cluster: "1", Seq: seq}, Priority: p, SubmitMs: submit, DeadlineMs: deadline}
	}
	jobs := []*status.Job{make(1, job.Normal, 10, 0), make(2, job.High, 20, 0), make(3, job.Low, 30, 900),
		make(4, job.Normal, 5, 0), make(5, job.High, 50, 900), make(6, job.Normal, 60, 800), make(7, job.Normal, 10, 0)}
	for policy, want := range map[string][]int32{"fifo": {2, 5, 4, 1, 7, 6, 3}, "maxedf": {6, 5, 3, 2, 4, 1, 7}} {
		sorted, known := InOrder(&status.Scheduler{Name: policy, Jobs: jobs})
		require.True(t, known)
		var got []int32
		for _, j := range sorted {
			got = append(got, j.ID.Seq)
		}
		require.Equal(t, want, got, policy)
	}
	sorted, known := InOrder(&status.Scheduler{Name: "fair", Jobs: jobs})
	require.False(t, known)
	require.Equal(t, jobs, sorted)
}
