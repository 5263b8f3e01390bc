package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/howdah/howdah/job/failure"
)

// Registration states what an experiment claims. It is committed before the experiment runs.
type Registration struct {
	ID    string `yaml:"id"`        // the experiment's ID
	Item  string `yaml:"item"`      // figure, table, or section of the paper
	Claim string `yaml:"claim"`     // the paper's claim
	Sim   *Plan  `yaml:"simulated"` // nil = the experiment has no such run
	Real  *Plan  `yaml:"real"`      // nil = the experiment has no such run
}

// Plan registers one kind of run.
type Plan struct {
	// Version is at least 1. A change of a workload, knob, seed, bound, or expectation after a
	// result is known requires a new version.
	Version   int        `yaml:"version"`
	Relations []Relation `yaml:"relations"`
}

// Relation is a statement that a run evaluates by comparing a measured effect with bounds.
type Relation struct {
	ID       string   `yaml:"id" json:"id"`                     // unique within the plan
	Claim    string   `yaml:"claim" json:"claim"`               // in words
	Figure   string   `yaml:"figure" json:"figure,omitempty"`   // "" = the experiment's item
	Unit     string   `yaml:"unit" json:"unit,omitempty"`       // of the effect, bounds, and paper's value; "" = none
	Paper    *Number  `yaml:"paper" json:"paper,omitempty"`     // nil = the paper's text states no value
	Test     Test     `yaml:"test" json:"test"`                 // see Test
	Minimum  *float64 `yaml:"minimum" json:"minimum,omitempty"` // smallest effect, if the test needs one
	Maximum  *float64 `yaml:"maximum" json:"maximum,omitempty"` // largest effect, if the test needs one
	By       By       `yaml:"by" json:"by,omitempty"`           // see By
	Expected Expected `yaml:"expected" json:"expected"`         // see Expected
	Reason   string   `yaml:"reason" json:"reason,omitempty"`   // why the relation is expected to fail; "" = it is not
	Note     string   `yaml:"note" json:"note,omitempty"`       // what readers must know about the expectation; "" = none
	// Explains names the relations whose distance from the paper's value this relation explains, each
	// as the name of a run and the ID of a relation: "MRO-2 multi-more". Its run changes the suspected
	// cause and measures the same effect.
	Explains []string `yaml:"explains" json:"explains,omitempty"`
}

// Number is a value, or a range of values, that the paper's text states.
type Number struct {
	Value float64  `yaml:"value" json:"value"`
	To    *float64 `yaml:"to" json:"to,omitempty"` // upper end of a range that starts at Value; nil = a single value
	Reads string   `yaml:"reads" json:"reads"`     // how to read the value
}

// Test names a comparison of an effect with bounds. An effect that is an interval passes only if the
// whole interval does.
type Test string

// Tests. Each needs the bounds that its name implies and no others.
const (
	Above   Test = "above"    // greater than Minimum
	AtLeast Test = "at least" // Minimum or more
	Below   Test = "below"    // less than Maximum
	AtMost  Test = "at most"  // Maximum or less
	Within  Test = "within"   // from Minimum to Maximum
)

// By states what kind of effect a relation compares.
type By string

// Kinds of effects.
const (
	ByInterval By = ""       // the 95% confidence interval over repetitions, paired by seed
	ByExact    By = "exact"  // the value of a deterministic run
	BySingle   By = "single" // the value of one run that is not deterministic, without an interval
)

// Expected states whether a relation is expected to hold.
type Expected string

// Expectations.
const (
	ToHold Expected = "holds"
	ToFail Expected = "fails" // requires a reason
)

// Plan returns the plan of simulated or real runs, or nil if there is none.
func (g *Registration) Plan(real bool) *Plan {
	if real {
		return g.Real
	}
	return g.Sim
}

// ParseRegistration decodes the YAML document of the given registration. It returns an error of kind
// Corrupt if the document is invalid, incomplete, or has unknown fields.
func ParseRegistration(id string, document []byte) (*Registration, error) {
	bad := func(err error) error { return failure.New(failure.Corrupt, "read registration", id, err) }
	d := yaml.NewDecoder(bytes.NewReader(document))
	d.KnownFields(true)
	g := &Registration{}
	if err := d.Decode(g); err != nil {
		return nil, bad(err)
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, bad(errors.New("it has more than one document"))
	}
	if g.ID != id {
		return nil, bad(fmt.Errorf("it is for %q", g.ID))
	}
	if g.Item == "" || g.Claim == "" {
		return nil, bad(errors.New("it needs an item and a claim"))
	}
	for _, p := range []*Plan{g.Sim, g.Real} {
		if p != nil {
			if err := p.check(); err != nil {
				return nil, bad(err)
			}
		}
	}
	return g, nil
}

func (p *Plan) check() error {
	if p.Version < 1 || len(p.Relations) == 0 {
		return errors.New("each kind of run needs a version of at least 1 and a relation")
	}
	seen := map[string]bool{}
	for i := range p.Relations {
		x := &p.Relations[i]
		if seen[x.ID] {
			return fmt.Errorf("relation %s occurs twice", x.ID)
		}
		seen[x.ID] = true
		if err := x.check(); err != nil {
			return fmt.Errorf("relation %s: %w", x.ID, err)
		}
	}
	return nil
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)

func (x *Relation) check() error {
	needsMinimum := x.Test == Above || x.Test == AtLeast || x.Test == Within
	needsMaximum := x.Test == Below || x.Test == AtMost || x.Test == Within
	switch {
	case !validID.MatchString(x.ID):
		return errors.New("its ID may consist of letters, digits, and the characters . + -")
	case x.Claim == "":
		return errors.New("it needs a claim")
	case !needsMinimum && !needsMaximum:
		return fmt.Errorf("no test is called %q", x.Test)
	case needsMinimum != (x.Minimum != nil) || needsMaximum != (x.Maximum != nil):
		return fmt.Errorf("test %q needs other bounds", x.Test)
	case x.Test == Within && *x.Minimum > *x.Maximum:
		return errors.New("its minimum is above its maximum")
	case x.By != ByInterval && x.By != ByExact && x.By != BySingle:
		return fmt.Errorf("no kind of effect is called %q", x.By)
	case x.Expected != ToHold && x.Expected != ToFail:
		return fmt.Errorf("it cannot be expected that it %q", x.Expected)
	case (x.Expected == ToFail) != (x.Reason != ""):
		return errors.New("a reason is required if it is expected to fail, and only then")
	case slices.ContainsFunc(x.Explains, func(name string) bool { return strings.Count(name, " ") != 1 }):
		return errors.New("what it explains needs the name of a run and the ID of a relation")
	case x.Paper != nil && (x.Paper.Reads == "" || x.Paper.To != nil && *x.Paper.To <= x.Paper.Value):
		return errors.New("the paper's value needs a text that says how to read it, and a range must be in order")
	}
	return nil
}
