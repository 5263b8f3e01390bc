package lab

import (
	"math"

	"github.com/howdah/howdah/simulator/trace"
)

// simJSON is the output of sim run --json.
type simJSON struct {
	Scheduler   string           `json:"scheduler"`
	Model       string           `json:"model"`
	Nodes       int              `json:"nodes"`
	Seed        uint64           `json:"seed"`
	Events      int64            `json:"events"`
	WallSeconds float64          `json:"wall_seconds"`
	PerSecond   float64          `json:"events_per_second"`
	Makespan    int64            `json:"makespan_ms"`
	Kinds       map[string]int64 `json:"kinds"`
	Hash        string           `json:"journal"`
	Jobs        []simJobJSON     `json:"jobs"`
	Repetitions []repeatJSON     `json:"repetitions,omitempty"`
	Intervals   []intervalJSON   `json:"intervals,omitempty"`
}

type simJobJSON struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	Submit   int64  `json:"submit_ms"`
	Start    int64  `json:"start_ms"`
	Finish   int64  `json:"finish_ms"`
	Duration int64  `json:"duration_ms"`
	Deadline int64  `json:"deadline_ms,omitempty"`
	Missed   bool   `json:"missed"`
	Failed   bool   `json:"failed"`
	Maps     int32  `json:"maps"`
	Reduces  int32  `json:"reduces"`
	Journal  string `json:"journal_id,omitempty"` // the job's ID in the run's journal
}

// repeatJSON is one of several runs in the output of --json.
type repeatJSON struct {
	Seed     uint64             `json:"seed"`
	Measures map[string]float64 `json:"measures"`
}

// intervalJSON is a mean over runs and its 95% confidence interval.
type intervalJSON struct {
	Measure string   `json:"measure"`
	Unit    string   `json:"unit,omitempty"`
	Mean    float64  `json:"mean"`
	Half    *float64 `json:"half_width,omitempty"`
}

func runJSON(runs []outcome) simJSON {
	r := runs[0].Result
	j := simJSON{Scheduler: r.Scheduler, Model: r.Model, Nodes: r.Nodes, Seed: r.Seed, Events: r.Events,
		WallSeconds: runs[0].wall.Seconds(),
		Makespan:    r.Makespan, Kinds: map[string]int64{}, Hash: r.Hash, Jobs: jobsJSON(r)}
	if s := runs[0].wall.Seconds(); s > 0 {
		j.PerSecond = float64(r.Events) / s
	}
	for _, k := range r.Kinds {
		j.Kinds[k.Kind] = k.N
	}
	if len(runs) == 1 {
		return j
	}
	for i := range runs {
		rep := repeatJSON{Seed: runs[i].Seed, Measures: map[string]float64{}}
		for _, m := range shown(runs...) {
			rep.Measures[m.Name] = m.Of(runs[i].Result)
		}
		j.Repetitions = append(j.Repetitions, rep)
	}
	j.Intervals = intervals(runs)
	return j
}

func intervals(runs []outcome) []intervalJSON {
	var list []intervalJSON
	for _, m := range shown(runs...) {
		x := m.Over(results(runs))
		i := intervalJSON{Measure: m.Name, Unit: m.Unit, Mean: x.Mean}
		if !math.IsInf(x.Half, 0) && !math.IsNaN(x.Half) {
			i.Half = &x.Half
		}
		list = append(list, i)
	}
	return list
}

func jobsJSON(r *trace.Result) []simJobJSON {
	list := make([]simJobJSON, len(r.Jobs))
	for i := range r.Jobs {
		j := &r.Jobs[i]
		list[i] = simJobJSON{j.ID, j.Name, j.Submit, j.Start, j.Finish, j.Finish - j.Submit, j.Deadline, j.Missed(), j.Failed,
			j.Maps, j.Reduces, journalID(j)}
	}
	return list
}
