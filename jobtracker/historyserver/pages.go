package historyserver

import (
	"context"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// List returns all jobs, the latest first. It ignores the filter.
func (s *Server) List(ctx context.Context, _ status.Filter) ([]*status.Job, error) {
	s.current(ctx)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.shown, nil
}

// statusesOf returns the jobs of a list for the page of all jobs, in reverse order.
func statusesOf(list []*entry) []*status.Job {
	out := make([]*status.Job, len(list))
	for i, e := range list {
		state, _ := job.ParseState(e.State)
		out[len(list)-1-i] = &status.Job{ID: e.ID, Name: e.Name, User: e.User, Queue: e.Queue, State: state,
			SubmitMs: e.Submit, StartMs: e.Start, FinishMs: e.Finish, Maps: status.Tasks{Total: int32(e.Maps)},
			Reduces: status.Tasks{Total: int32(e.Reduces)}}
	}
	return out
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
	if q.ByType {
		s.ByType = byType(r)
	}
	if !q.Attempts {
		return s
	}
	for _, t := range r.Tasks {
		for _, a := range t.Attempts {
			if q.Only != nil && a.ID != *q.Only {
				continue
			}
			state, known := job.ParseAttemptState(a.State)
			if !known {
				state = job.AttemptKilled
			}
			x := &status.Attempt{ID: a.ID, State: state, Tracker: a.Tracker, Slot: a.ID.Type, StartMs: known0(a.Start),
				FinishMs: known0(a.Finish), ShuffleMs: known0(a.Shuffle), SortMs: known0(a.Sort), Progress: 1,
				Phase: job.PhaseCleanup, Status: a.Text, Locality: a.Locality, Diagnostics: a.Error}
			if a.ID.Type <= job.Reduce {
				x.ShuffleBytes = valueOf(a.Counters, job.ShuffleCounter(a.ID.Type).Info())
			}
			if q.Counters {
				x.Counters = countersOf(a.Counters)
			}
			s.Attempts = append(s.Attempts, x)
		}
	}
	return s
}

// byType returns the counters of the successful attempts of maps and of reduces.
func byType(r *hadoop.Report) (sums [2]*job.Counters) {
	sums = [2]*job.Counters{{}, {}}
	for _, t := range r.Tasks {
		for _, a := range t.Attempts {
			if a.State == job.AttemptSucceeded.String() && a.ID.Type <= job.Reduce {
				sums[a.ID.Type].Merge(countersOf(a.Counters))
			}
		}
	}
	return sums
}

// valueOf returns the value of a built-in counter, or 0.
func valueOf(groups []hadoop.Group, id job.CounterInfo) int64 {
	for _, g := range groups {
		for _, c := range g.Counters {
			if g.Name == id.Group && c.Name == id.Name {
				return c.Value
			}
		}
	}
	return 0
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
