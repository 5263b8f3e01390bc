package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
)

// resultFile is the name of a result's file in its directory.
const resultFile = "result.json"

// resultVersion is the version of the form of results.
const resultVersion = 1

// Result is the outcome of a scenario. Simulated and real runs have the same form.
type Result struct {
	Version  int      `json:"howdah_scenario_result"`
	Scenario string   `json:"scenario"`
	About    string   `json:"about,omitempty"`
	Real     bool     `json:"real"`
	Place    string   `json:"place"` // what ran it: the simulator, a minicluster, or a pool
	Nodes    string   `json:"nodes"`
	Revision string   `json:"revision"`
	Machine  string   `json:"machine"`
	Seed     uint64   `json:"seed"` // of the first repetition
	Started  int64    `json:"started_ms"`
	Seconds  float64  `json:"seconds"`            // that the runs took
	Measures []string `json:"measures,omitempty"` // to show; empty = all
	// Durations says for each part of the workload where the durations of its tasks come from.
	Durations map[string]string `json:"durations"`
	Text      string            `json:"file"` // content of the scenario's file
	Variants  []VariantResult   `json:"variants"`

	files map[string][]byte // further files of the result, by name
}

// VariantResult is the outcome of one combination of scheduler, weights, and orchestrator.
type VariantResult struct {
	Name         string `json:"name"`
	Scheduler    string `json:"scheduler"`
	Weights      string `json:"weights,omitempty"`
	Orchestrator string `json:"orchestrator"`
	Runs         []Run  `json:"runs"`
}

// Run is one repetition. Times are in ms since the start of the workload.
type Run struct {
	Seed     uint64   `json:"seed"`
	Start    int64    `json:"start_ms"` // of the workload, since the epoch; 0 in the simulator
	Makespan int64    `json:"makespan_ms"`
	Jobs     []Job    `json:"jobs"`
	Journals []string `json:"journals,omitempty"` // files next to the result
	// Use is the share of the time during which slots were in use, by kind, in percent. It is 0 if
	// unknown.
	Use [2]float64 `json:"slots_in_use"`
}

// Job is a job of a trace or one run of an application, which may have several jobs.
type Job struct {
	ID       string   `json:"id"`
	Part     string   `json:"part"` // of the workload
	Name     string   `json:"name"`
	Cluster  string   `json:"cluster,omitempty"` // MR-cluster
	After    string   `json:"after,omitempty"`   // part that it followed, so that its arrival varies
	Submit   int64    `json:"submit_ms"`
	Start    int64    `json:"start_ms"` // of the first task
	Finish   int64    `json:"finish_ms"`
	Deadline int64    `json:"deadline_ms"` // 0 = none
	Failed   bool     `json:"failed"`
	Why      string   `json:"why,omitempty"` // it failed
	IDs      []string `json:"job_ids"`       // in the journal
	Maps     int      `json:"maps"`
	Reduces  int      `json:"reduces"`
	SlotTime [2]int64 `json:"slot_ms"` // for which its attempts held slots, by kind
}

// names returns the names of the variants.
func (r *Result) names() (names []string) {
	for i := range r.Variants {
		names = append(names, r.Variants[i].Name)
	}
	return names
}

// Failed returns the number of jobs that failed.
func (r *Result) Failed() (n int) {
	for _, v := range r.Variants {
		for _, run := range v.Runs {
			for i := range run.Jobs {
				if run.Jobs[i].Failed {
					n++
				}
			}
		}
	}
	return n
}

// traced returns the run in the form that measures use.
func (r *Run) traced() *trace.Result {
	out := &trace.Result{Makespan: r.Makespan}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		out.Jobs = append(out.Jobs, trace.JobResult{ID: j.ID, Name: j.Name, Submit: j.Submit, Start: j.Start,
			Finish: j.Finish, Deadline: j.Deadline, Failed: j.Failed, Maps: int32(j.Maps), Reduces: int32(j.Reduces),
			SlotTime: j.SlotTime})
	}
	return out
}

func (v *VariantResult) traced() []*trace.Result {
	out := make([]*trace.Result, len(v.Runs))
	for i := range v.Runs {
		out[i] = v.Runs[i].traced()
	}
	return out
}

// finish computes the makespan, from the start of the first job to the end of the last.
func (r *Run) finish(slots [2]int64) {
	if len(r.Jobs) == 0 {
		return
	}
	r.Makespan = trace.Makespan(r.traced().Jobs)
	for k, n := range slots {
		used := int64(0)
		for i := range r.Jobs {
			used += r.Jobs[i].SlotTime[k]
		}
		if n > 0 && r.Makespan > 0 {
			r.Use[k] = 100 * float64(used) / float64(n*r.Makespan)
		}
	}
}

// measures returns the measures that the scenario selects, or all that the result has.
func (r *Result) measures() (list []lab.Measure) {
	var all []*trace.Result
	for i := range r.Variants {
		all = append(all, r.Variants[i].traced()...)
	}
	return slices.DeleteFunc(lab.Shown(all), func(m lab.Measure) bool {
		return len(r.Measures) > 0 && !slices.Contains(r.Measures, m.Name)
	})
}

// ReadResult reads the result in a directory. It returns an error of kind NotFound if there is none,
// and of kind Corrupt if it has another form.
func ReadResult(dir string) (*Result, error) {
	file := filepath.Join(dir, resultFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, failure.New(failure.NotFound, "read result", dir, errors.New("it contains no "+resultFile)).
			Fix("name a directory that howdah scenario run --out created")
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read result", file, err)
	}
	r := &Result{}
	err = json.Unmarshal(text, r)
	if err == nil && r.Version != resultVersion {
		err = fmt.Errorf("howdah_scenario_result is %d: want %d", r.Version, resultVersion)
	}
	if err == nil && len(r.Variants) == 0 {
		err = errors.New("it has no variants")
	}
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read result", file, err)
	}
	return r, nil
}

// Directory creates the directory for a result. It returns an error of kind Exists if the directory
// exists and is not empty, so call it before the run.
func Directory(dir string) error {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return failure.New(failure.Exists, "write result", dir, errors.New("the directory is not empty")).
			Fix("choose another directory")
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return failure.New(failure.KindOf(err), "write result", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "write result", dir, err)
	}
	return nil
}

// Write writes the result to the directory: result.json, journals, the scenario's file, tables, and
// the report. It never replaces a file.
func (r *Result) Write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return failure.New(failure.Internal, "write result", dir, err)
	}
	report, err := r.HTML()
	if err != nil {
		return err
	}
	files := map[string][]byte{"scenario.yaml": []byte(r.Text), "report.html": report, resultFile: append(text, '\n')}
	for name, content := range r.files {
		files[name] = content
	}
	return writeNew(dir, files)
}

// writeNew writes files that must not exist yet.
func writeNew(dir string, files map[string][]byte) error {
	for name, content := range files {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			_, err = f.Write(content)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return failure.New(failure.KindOf(err), "write result", filepath.Join(dir, name), err)
		}
	}
	return nil
}

// sequence returns the number of the job with the given ID.
func sequence(id string) (int32, bool) {
	x, err := job.ParseID(id)
	return x.Seq, err == nil
}
