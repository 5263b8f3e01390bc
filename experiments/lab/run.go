package lab

import "fmt"

// Run is one execution of an experiment, with its inputs and results. It is not safe for concurrent
// use.
type Run struct {
	Quick    bool   // fewer repetitions
	Real     bool   // run on a minicluster or a pool
	Seed     uint64 // seed of every random stream, at least 1
	Workers  int    // maximum number of simultaneous simulations
	Dir      string // directory for the results of this execution; "" = discard them
	Binary   string // path of the howdah executable, for real runs
	Revision string // of the program

	Tables     []Table
	Relations  []Relation
	Knobs      []Knob
	Plots      []Plot
	Unproven   []string // relations of the paper that were not reproduced
	Causes     []string // results of other runs that isolate the causes of differences from the paper
	Executions int      // number of simulations, including cached ones (Memo), or of clusters and pools started
}

// Table is a table of results. WritePage shows it below the paper's claim, and Write saves it as CSV.
type Table struct {
	Name string // title, and file name without extension
	Head []string
	Rows [][]string
}

// Relation is a statement that the experiment checks.
type Relation struct {
	Text   string
	Holds  bool
	Detail string // the measured values
}

// Knob is a choice that the paper leaves open, together with the value that the experiment uses.
type Knob struct{ Name, Value string }

// AddTable adds a table.
func (r *Run) AddTable(name string, head []string, rows [][]string) {
	r.Tables = append(r.Tables, Table{name, head, rows})
}

// Check records whether a relation holds. The format and args produce the relation's Detail.
func (r *Run) Check(text string, holds bool, format string, args ...any) {
	r.Relations = append(r.Relations, Relation{text, holds, fmt.Sprintf(format, args...)})
}

// Knob records a choice that the paper leaves open, and its value.
func (r *Run) Knob(name string, value any) {
	r.Knobs = append(r.Knobs, Knob{name, fmt.Sprint(value)})
}

// NotReproduced records a relation of the paper that was not reproduced. The text may also state the
// cause.
func (r *Run) NotReproduced(format string, args ...any) {
	r.Unproven = append(r.Unproven, fmt.Sprintf(format, args...))
}

// CauseIsolated records the result of another run, which isolates the cause of a difference from the
// paper.
func (r *Run) CauseIsolated(format string, args ...any) {
	r.Causes = append(r.Causes, fmt.Sprintf(format, args...))
}

// Claim records a relation and returns holds. If the relation holds, Claim records it as Check does.
// Otherwise, Claim records it as not reproduced, and the caller must run a case that isolates the
// cause.
func (r *Run) Claim(text string, holds bool, format string, args ...any) bool {
	if holds {
		r.Check(text, true, format, args...)
	} else {
		r.NotReproduced("%s (%s)", text, fmt.Sprintf(format, args...))
	}
	return holds
}

// AddPlot adds a plot to draw.
func (r *Run) AddPlot(p Plot) { r.Plots = append(r.Plots, p) }
