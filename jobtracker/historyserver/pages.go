package historyserver

import (
	"context"
	"strings"
	"sync"

	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// Search returns a part of the jobs that match a query, the latest first, and the number of all that
// match.
func (s *Server) Search(ctx context.Context, q webui.Search) (part []*status.Job, matching int, err error) {
	list, _ := s.current(ctx)
	text := strings.ToLower(q.Text)
	for i := len(list) - 1; i >= 0; i-- {
		j := &list[i].Summary
		if q.User != "" && j.User != q.User || q.Queue != "" && j.Queue != q.Queue || q.State != "" && j.State != q.State ||
			text != "" && !strings.Contains(strings.ToLower(j.Name), text) && !strings.Contains(j.ID.String(), text) {
			continue
		}
		if matching >= q.From && len(part) < q.Most {
			state, _ := job.ParseState(j.State)
			part = append(part, &status.Job{ID: j.ID, Name: j.Name, User: j.User, Queue: j.Queue, State: state,
				SubmitMs: j.Submit, StartMs: j.Start, FinishMs: j.Finish, Maps: status.Tasks{Total: int32(j.Maps)},
				Reduces: status.Tasks{Total: int32(j.Reduces)}})
		}
		matching++
	}
	return part, matching, nil
}

// Status returns the status of a job, for its pages.
func (s *Server) Status(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	r, e, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return statusOf(r, e.confFile(), q), nil
}

// statusOf converts a report.
func statusOf(r *hadoop.Report, confFile string, q status.Query) *status.Job {
	state, known := job.ParseState(r.State)
	if !known {
		state = job.Failed // Hadoop's ERROR
	}
	tasks := func(t job.TaskType) status.Tasks {
		x := status.Tasks{Total: int32(r.Of[t].Total), Done: int32(r.Of[t].Succeeded)}
		if x.Total > 0 {
			x.Progress = float32(x.Done) / float32(x.Total)
		}
		return x
	}
	s := &status.Job{ID: r.ID, Name: r.Name, User: r.User, Queue: r.Queue, State: state, SubmitMs: known0(r.Submit),
		StartMs: known0(r.Launch), FinishMs: known0(r.Finish), Maps: tasks(job.Map), Reduces: tasks(job.Reduce),
		Diagnostics: r.Diagnostics, Retired: true, JobFile: confFile}
	if q.Counters {
		s.Counters = countersOf(r.Counters)
	}
	if !q.Attempts {
		return s
	}
	for _, t := range r.Tasks {
		for _, a := range t.Attempts {
			state, known := job.ParseAttemptState(a.State)
			if !known {
				state = job.AttemptKilled
			}
			x := &status.Attempt{ID: a.ID, State: state, Tracker: a.Tracker, Slot: a.ID.Type, StartMs: known0(a.Start),
				FinishMs: known0(a.Finish), ShuffleMs: known0(a.Shuffle), SortMs: known0(a.Sort), Progress: 1,
				Phase: job.PhaseCleanup, Status: a.Text, Locality: a.Locality, Diagnostics: a.Error}
			if q.Counters {
				x.Counters = countersOf(a.Counters)
			}
			s.Attempts = append(s.Attempts, x)
		}
	}
	return s
}

// known0 returns a time, or 0 if the history lacks it.
func known0(ms int64) int64 { return max(ms, 0) }

// builtin maps groups and names of built-in counters to IDs.
var builtin = sync.OnceValue(func() map[[2]string]job.CounterID {
	m := map[[2]string]job.CounterID{}
	for id := range job.NumCounters {
		info := id.Info()
		m[[2]string{info.Group, info.Name}] = id
	}
	return m
})

func countersOf(groups []hadoop.Group) *job.Counters {
	c := &job.Counters{}
	var own []job.UserCounter
	for _, g := range groups {
		for _, x := range g.Counters {
			if id, ok := builtin()[[2]string{g.Name, x.Name}]; ok {
				c.Builtin[id] = x.Value
			} else if x.Value != 0 {
				own = append(own, job.UserCounter{Group: g.Name, Name: x.Name, Value: x.Value})
			}
		}
	}
	c.SetUser(own)
	return c
}
