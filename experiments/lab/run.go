package lab

import (
	"fmt"
	"math"
	"slices"
)

// Run is one execution of an experiment, with its inputs and results. It is not safe for concurrent
// use.
type Run struct {
	Plan    *Plan  // the registered relations
	Quick   bool   // fewer repetitions
	Real    bool   // run on a minicluster or a pool
	Seed    uint64 // seed of every random stream, at least 1
	Workers int    // maximum number of simultaneous simulations
	Dir     string // directory for files that help to understand a real run, such as logs; "" = discard them
	Binary  string // path of the howdah executable, for real runs

	Tables     []Table
	Outcomes   []Outcome
	Knobs      []Knob
	Plots      []Plot
	Notes      []string // see Note
	Executions int      // number of simulations, including cached ones (Memo), or of clusters and pools started

	problems []string // differences between the evaluated and the registered relations
}

// Table is a table of results.
type Table struct {
	Name string     `json:"name"` // title
	Head []string   `json:"head"`
	Rows [][]string `json:"rows"`
}

// Knob is a choice that the paper leaves open, together with the value that the experiment uses.
type Knob struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Outcome is an evaluated relation.
type Outcome struct {
	Relation
	Effect  Effect   `json:"effect"`
	Verdict Verdict  `json:"verdict"`
	Ratio   *float64 `json:"ratio,omitempty"` // see Relation.Ratio; nil = none
	Detail  string   `json:"detail"`          // measured values, in words
}

// Effect is a measured value in the unit of its relation.
type Effect struct {
	Value float64 `json:"value"`
	// Low and High are the ends of the 95% confidence interval, and Repetitions is the number of
	// values that it is based on. If Repetitions is less than 2, Low and High equal Value.
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	Repetitions int     `json:"repetitions,omitempty"`
}

// AddTable adds a table.
func (r *Run) AddTable(name string, head []string, rows [][]string) {
	r.Tables = append(r.Tables, Table{name, head, rows})
}

// Compare evaluates the registered relation with the given ID and reports whether it holds. The
// format and args produce the outcome's Detail. If the relation is not registered, was evaluated
// before, or is registered by another kind of effect, the execution fails.
func (r *Run) Compare(id string, effect Interval, format string, args ...any) bool {
	problem := func(format string, args ...any) bool {
		r.problems = append(r.problems, fmt.Sprintf("relation %s ", id)+fmt.Sprintf(format, args...))
		return false
	}
	x := r.relation(id)
	if x == nil {
		return problem("is not registered")
	}
	if slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return o.ID == id }) {
		return problem("was evaluated twice")
	}
	if by := effect.by(); by != x.By {
		return problem("is registered by %q, but the effect is by %q", x.By, by)
	}
	if effect.N == 1 {
		effect.Half = 0
	}
	if math.IsNaN(effect.Mean) || math.IsInf(effect.Mean, 0) || math.IsNaN(effect.Half) || math.IsInf(effect.Half, 0) {
		return problem("has no finite effect")
	}
	o := Outcome{Relation: *x, Verdict: x.Judge(effect, r.Quick), Detail: fmt.Sprintf(format, args...),
		Effect: Effect{effect.Mean, effect.Low(), effect.High(), effect.N}}
	if ratio, ok := x.Ratio(effect.Mean); ok {
		o.Ratio = &ratio
	}
	r.Outcomes = append(r.Outcomes, o)
	return o.Verdict == Holds || o.Verdict == Fixed
}

func (r *Run) relation(id string) *Relation {
	if r.Plan == nil {
		return nil
	}
	i := slices.IndexFunc(r.Plan.Relations, func(x Relation) bool { return x.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Plan.Relations[i]
}

// settle puts the outcomes into the registered order. It returns the differences between the
// evaluated and the registered relations.
func (r *Run) settle() (problems []string) {
	problems = r.problems
	var ordered []Outcome
	for _, x := range r.Plan.Relations {
		i := slices.IndexFunc(r.Outcomes, func(o Outcome) bool { return o.ID == x.ID })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("relation %s was not evaluated", x.ID))
			continue
		}
		ordered = append(ordered, r.Outcomes[i])
	}
	r.Outcomes = ordered
	return problems
}

// Value returns x as the value of a run without repetitions. Such a run is deterministic only in the
// simulator.
func (r *Run) Value(x float64) Interval {
	if r.Real {
		return Once(x)
	}
	return Exact(x)
}

// Knob records a choice that the paper leaves open, and its value. It must not depend on results.
func (r *Run) Knob(name string, value any) {
	r.Knobs = append(r.Knobs, Knob{name, fmt.Sprint(value)})
}

// Note records a result without a verdict, such as that of a run that isolates the cause of a
// difference from the paper.
func (r *Run) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// AddPlot adds a plot to draw.
func (r *Run) AddPlot(p Plot) { r.Plots = append(r.Plots, p) }
