package runner

import (
	"context"
	"io"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/mapreduce"
)

// jsonRunner is a Runner that prints a JSON object for each job that it has run. It takes the
// object from the job's result, without querying the JobTracker.
type jsonRunner struct {
	mapreduce.Runner
	out io.Writer
}

// RanObject is a job in the output of `run --json`. Its fields have the same names as those of `job
// -status --json`, but the times are those at which the client's Run began and ended.
type RanObject struct {
	ID          string                      `json:"id"`
	Name        string                      `json:"name,omitempty"`
	State       string                      `json:"state"`
	SubmitMs    int64                       `json:"submit_ms"`
	FinishMs    int64                       `json:"finish_ms"`
	Counters    map[string]map[string]int64 `json:"counters,omitempty"`
	Diagnostics string                      `json:"diagnostics,omitempty"`
}

func (r *jsonRunner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	start := time.Now().UnixMilli()
	res, err := r.Runner.Run(ctx, j, c)
	if res == nil {
		return res, err
	}
	o := RanObject{ID: res.ID.String(), Name: j.Name, State: res.State.Shown(),
		SubmitMs: start, FinishMs: time.Now().UnixMilli(),
		Diagnostics: res.Diagnostics}
	if res.Counters != nil {
		o.Counters = jsonout.CountersByName(res.Counters)
	}
	if werr := jsonout.Write(r.out, o); err == nil {
		err = werr
	}
	return res, err
}
