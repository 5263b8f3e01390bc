package lab

import "fmt"

// Run is one execution of an experiment: what it may use, and what it found. It is used by one goroutine.
type Run struct {
	Quick   bool   // fewer repetitions
	Seed    uint64 // of every random stream
	Workers int    // how many simulations may run at once
	Dir     string // for raw data and plots of this experiment; "" = keep none
	Binary  string // the howdah executable, for real runs

	Tables     []Table
	Relations  []Relation
	Knobs      []Knob
	Plots      []Plot
	Unproven   []string // relations that did not come out, each with the run that isolates the cause
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

// Plot is drawn into a file of its name (.svg and .png).
type Plot struct {
	Name, Title, X, Y string
	Kind              PlotKind
	Series            []Series
	LogX              bool
}

// PlotKind says how series are drawn.
type PlotKind uint8

// The kinds of plots.
const (
	Lines PlotKind = iota
	Steps
	CDF // Y is ignored
	Bars
	Gantt // X start, Y row, High end
)

// Series is one line or set of bars; Low and High are error bars if they are there.
type Series struct {
	Name         string
	X, Y         []float64
	Low, High    []float64
	Labels       []string // of bars
	Experimental bool     // dashed
}

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

// AddPlot keeps a plot to draw.
func (r *Run) AddPlot(p Plot) { r.Plots = append(r.Plots, p) }
