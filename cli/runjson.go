package cli

import (
	"context"
	"io"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// jsonRunner prints an object for each job that it ran: what is known of it without asking the JobTracker.
type jsonRunner struct {
	mapreduce.Runner
	out io.Writer
}

// ranObject is a job of `run --json`; the names are those of `job -status --json`.
type ranObject struct {
	ID          string                      `json:"id"`
	Name        string                      `json:"name"`
	State       string                      `json:"state"`
	SubmitMs    int64                       `json:"submit_ms"`
	FinishMs    int64                       `json:"finish_ms"`
	Counters    map[string]map[string]int64 `json:"counters"`
	Diagnostics string                      `json:"diagnostics"`
}

func (r *jsonRunner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	start := time.Now().UnixMilli()
	res, err := r.Runner.Run(ctx, j, c)
	if res == nil {
		return res, err
	}
	o := ranObject{ID: res.ID.String(), Name: j.Name, State: res.State.Shown(), SubmitMs: start, FinishMs: time.Now().UnixMilli(),
		Counters: map[string]map[string]int64{}, Diagnostics: res.Diagnostics}
	if res.Counters != nil {
		o.Counters = countersJSON(res.Counters)
	}
	if werr := writeJSON(r.out, o); err == nil {
		err = werr
	}
	return res, err
}
