package scenario

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/howdah/howdah/experiments/lab"
)

// howdahCommand runs a howdah command and returns its standard output.
type howdahCommand func(ctx context.Context, args ...string) ([]byte, error)

// reports collects the status of jobs that a run has no journal of.
type reports struct {
	mu sync.Mutex
	of map[string]lab.Job // by the MR-cluster and the ID
}

// run runs an application (howdah run) and reads the status of its jobs while their JobTracker is
// sure to know them. where names the MR-cluster, if any.
func (r *reports) run(ctx context.Context, howdah howdahCommand, w *Work, args []string) ([]byte, error) {
	var where []string
	if w.Cluster != "" {
		where = []string{"--mrcluster", w.Cluster}
	}
	out, err := howdah(ctx, append(append([]string{"run", "-q", "--json"}, where...), args...)...)
	jobs, _ := reportedJobs(out)
	for _, j := range jobs {
		text, statusErr := howdah(ctx, append(append([]string{"job"}, where...), "-status", j.ID, "--json")...)
		if statusErr == nil {
			_ = json.Unmarshal(text, &j) // otherwise the job has the times that howdah run reported
		}
		r.mu.Lock()
		if r.of == nil {
			r.of = map[string]lab.Job{}
		}
		r.of[w.Cluster+" "+j.ID] = j
		r.mu.Unlock()
	}
	return out, err
}

// complete fills in the times and tasks of the run's jobs.
func (r *reports) complete(run *Run) {
	for i := range run.Jobs {
		x := &run.Jobs[i]
		last := int64(0)
		for _, id := range x.IDs {
			j := r.of[x.Cluster+" "+id]
			last = max(last, j.Finish-run.Start)
			tasks := [2]map[string]bool{{}, {}}
			for _, a := range j.Attempts {
				kind := 0
				if a.Type == "REDUCE" {
					kind = 1
				} else if a.Type != "MAP" {
					continue
				}
				tasks[kind][a.ID[:max(0, len(a.ID)-2)]] = true
				x.SlotTime[kind] += max(0, a.Finish-a.Start)
				if at := a.Start - run.Start; x.Start == 0 || at < x.Start {
					x.Start = at
				}
			}
			x.Maps, x.Reduces = x.Maps+len(tasks[0]), x.Reduces+len(tasks[1])
		}
		if last > 0 {
			x.Finish = last
		}
	}
}
