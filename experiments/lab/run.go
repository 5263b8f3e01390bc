package lab

import "fmt"

// Run is one execution of an experiment: what it may use, and what it found. It is used by one goroutine.
type Run struct {
	Quick    bool   // fewer repetitions
	Real     bool   // on a minicluster or a pool
	Seed     uint64 // of every random stream, at least 1
	Workers  int    // how many simulations may run at once
	Dir      string // for raw data and plots of this experiment; "" = keep none
	Binary   string // the howdah executable, for real runs
	Revision string // of the program

	Tables     []Table
	Relations  []Relation
	Knobs      []Knob
	Plots      []Plot
	Unproven   []string // relations of the paper that do not come out, each with what the isolating run showed
	Executions int      // simulations or cluster runs
}

// Table is shown beside the paper's claim and written as CSV.
type Table struct {
	Name string // file name without extension
	Head []string
	Rows [][]string
}

// Relation is a statement that the experiment checks.
type Relation struct {
	Text   string
	Holds  bool
	Detail string // the numbers, with their confidence intervals
}

// Knob is an open choice with the value that was used.
type Knob struct{ Name, Value string }

// AddTable keeps a table.
func (r *Run) AddTable(name string, head []string, rows [][]string) {
	r.Tables = append(r.Tables, Table{name, head, rows})
}

// Check notes whether a relation holds.
func (r *Run) Check(text string, holds bool, format string, args ...any) {
	r.Relations = append(r.Relations, Relation{text, holds, fmt.Sprintf(format, args...)})
}

// Knob notes an open choice.
func (r *Run) Knob(name string, value any) {
	r.Knobs = append(r.Knobs, Knob{name, fmt.Sprint(value)})
}

// NotReproduced notes a relation of the paper that does not come out, and what the second run, which isolates the cause, shows.
func (r *Run) NotReproduced(format string, args ...any) {
	r.Unproven = append(r.Unproven, fmt.Sprintf(format, args...))
}

// Claim notes a relation as Check does where it holds, and as not reproduced where it does not: then the caller runs what isolates the cause.
func (r *Run) Claim(text string, holds bool, format string, args ...any) bool {
	if holds {
		r.Check(text, true, format, args...)
	} else {
		r.NotReproduced("%s: %s", text, fmt.Sprintf(format, args...))
	}
	return holds
}

// AddPlot keeps a plot to draw.
func (r *Run) AddPlot(p Plot) { r.Plots = append(r.Plots, p) }
