package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Result is the result of an execution. Its JSON form is a file in experiments/results; the tags of
// this type and of the types of its fields are the schema of these files.
type Result struct {
	ID         string    `json:"id"`         // "DHF-1"
	Paper      string    `json:"paper"`      // short name
	Item       string    `json:"item"`       // figure, table, or section of the paper
	Claim      string    `json:"claim"`      // the paper's claim
	Real       bool      `json:"real"`       // on real nodes; otherwise simulated
	Quick      bool      `json:"quick"`      // with fewer repetitions
	Version    int       `json:"version"`    // of the registration
	Registered string    `json:"registered"` // hash of the registration, the knobs, and the seed
	Revision   string    `json:"revision"`   // of the program
	Command    string    `json:"command"`
	Machine    string    `json:"machine"`
	Began      time.Time `json:"began"`
	Seconds    float64   `json:"seconds"`
	Seed       uint64    `json:"seed"` // repetition i of n uses a seed derived from Seed and i
	Executions int       `json:"executions"`
	Relations  []Outcome `json:"relations"`
	Notes      []string  `json:"notes,omitempty"` // results without verdicts, such as isolated causes
	Knobs      []Knob    `json:"knobs,omitempty"`
	Tables     []Table   `json:"tables,omitempty"`
	Plots      []Plot    `json:"plots,omitempty"`
	Error      string    `json:"error,omitempty"` // why the execution ended early or is invalid; "" = neither
}

// result returns the result of an execution of e, which began at the given time and ended with err.
func (r *Run) result(e *Experiment, g *Registration, o *Options, began time.Time, err error) *Result {
	out := &Result{ID: e.ID, Paper: e.Paper, Item: g.Item, Claim: g.Claim, Real: r.Real, Quick: r.Quick,
		Version: r.Plan.Version, Revision: o.Revision, Command: o.command(e),
		Machine: machine(),
		Began:   began.UTC().Truncate(time.Second), Seconds: math.Round(10*time.Since(began).Seconds()) / 10, Seed: r.Seed,
		Executions: r.Executions, Relations: r.Outcomes, Notes: r.Notes, Knobs: r.Knobs, Tables: r.Tables, Plots: r.Plots}
	if err != nil {
		out.Error = err.Error()
	} else if problems := r.settle(); len(problems) > 0 {
		out.Error = strings.Join(problems, "; ")
	}
	out.Relations = r.Outcomes
	out.Registered = out.hash(r.Plan)
	for i := range out.Plots {
		out.Plots[i].round()
	}
	return out
}

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.*)$`)

// machine describes this machine. It names the CPU if Linux reports it.
func machine() string {
	s := fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if m := modelName.FindSubmatch(info); m != nil {
			s += " of " + string(m[1])
		}
	}
	return s
}

// hash returns a hash of everything that must not change within a version. It excludes reasons
// and notes, which may become more precise.
func (r *Result) hash(p *Plan) string {
	relations := slices.Clone(p.Relations)
	for i := range relations {
		relations[i].Reason, relations[i].Note = "", ""
	}
	b, err := json.Marshal([]any{r.ID, r.Item, r.Claim, r.Real, r.Quick, r.Seed, r.Knobs, relations})
	if err != nil {
		panic(err) // registrations contain only finite numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Count returns the number of relations with the given verdict.
func (r *Result) Count(v Verdict) (n int) {
	for i := range r.Relations {
		if r.Relations[i].Verdict == v {
			n++
		}
	}
	return n
}

// Failed reports whether the execution ended early or is invalid, or whether a relation has the
// verdict FAILS.
func (r *Result) Failed() bool { return r.Error != "" || r.Count(Fails) > 0 }

// FileName returns the name of the folder or file for the experiment's results: its ID, with "-real"
// appended for a run on real nodes, and without characters that need quotes.
func (r *Result) FileName() string { return fileName(r.name()) }

// name returns the experiment's ID, with "-real" appended for a run on real nodes.
func (r *Result) name() string { return runName(r.ID, r.Real) }

func runName(id string, real bool) string {
	if real {
		return id + "-real"
	}
	return id
}

// Print prints a result in readable form.
func (r *Result) Print(w io.Writer) {
	how := "simulated"
	if r.Real {
		how = "on real nodes"
	}
	fmt.Fprintf(w, "%s  %s, %s (%s, version %d)\n", r.ID, r.Paper, r.Item, how, r.Version)
	fmt.Fprintf(w, "  paper: %s\n", r.Claim)
	for i := range r.Tables {
		r.Tables[i].print(w)
	}
	for _, k := range r.Knobs {
		fmt.Fprintf(w, "  %s: %s\n", k.Name, k.Value)
	}
	for i := range r.Relations {
		x := &r.Relations[i]
		fmt.Fprintf(w, "  [%s] %s: %s; %s (%s)\n", x.verdict(), x.Claim, x.effect(), x.comparison(), x.Detail)
		if x.Reason != "" {
			fmt.Fprintf(w, "    expected to fail: %s\n", x.Reason)
		}
		if x.Note != "" {
			fmt.Fprintf(w, "    note: %s\n", x.Note)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "  [note] %s\n", n)
	}
	if r.Error != "" {
		fmt.Fprintf(w, "  [%s] %s\n", Fails, r.Error)
	}
	fmt.Fprintf(w, "  %s in %.1f s, seed %d\n\n", runs(r.Executions), r.Seconds, r.Seed)
}

// verdict returns the verdict, and says whether a quick run had to assume it.
func (o *Outcome) verdict() string {
	if passes := o.passes(o.Effect.Low, o.Effect.High); passes != (o.Verdict == Holds || o.Verdict == Fixed) {
		return string(o.Verdict) + " assumed"
	}
	return string(o.Verdict)
}

// effect returns the effect with its interval and its unit.
func (o *Outcome) effect() string {
	s := withUnit(fmt.Sprintf("%.4g", o.Effect.Value), o.Unit)
	switch o.By {
	case BySingle:
		return s + " (one run)"
	case ByExact:
		return s + " (exact)"
	}
	return fmt.Sprintf("%s [%.4g, %.4g]", s, o.Effect.Low, o.Effect.High)
}

// comparison returns the required effect, the paper's effect, and the ratio of both effects.
func (o *Outcome) comparison() string {
	s := "required: " + o.required()
	if o.Paper != nil {
		s += "; paper: " + o.paper()
	}
	if o.Ratio != nil {
		s += fmt.Sprintf("; here/paper %.2f", *o.Ratio)
	}
	return s
}

func (x *Relation) required() string {
	switch x.Test {
	case Within:
		return withUnit(fmt.Sprintf("%g to %g", *x.Minimum, *x.Maximum), x.Unit)
	case Above, AtLeast:
		return withUnit(fmt.Sprintf("%s %g", x.Test, *x.Minimum), x.Unit)
	}
	return withUnit(fmt.Sprintf("%s %g", x.Test, *x.Maximum), x.Unit)
}

func (x *Relation) paper() string {
	s := fmt.Sprintf("%g", x.Paper.Value)
	if x.Paper.To != nil {
		s += fmt.Sprintf(" to %g", *x.Paper.To)
	}
	return withUnit(s, x.Unit)
}

func withUnit(s, unit string) string {
	switch unit {
	case "":
		return s
	case "%":
		return s + "%"
	}
	return s + " " + unit
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func (t *Table) print(w io.Writer) {
	fmt.Fprintf(w, "  %s\n", t.Name)
	tw := tabwriter.NewWriter(w, 2, 8, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintf(tw, "    %s\n", strings.Join(row, "\t"))
	}
	tw.Flush()
}

// Keep writes the result to a file in a folder of dir that has the experiment's name, and returns the
// file's path. It returns an error of kind Exists if the file exists and replace is false, or if the
// folder has a result of the same version whose registration, knobs, or seed differ. Such a change
// requires a new version.
func (r *Result) Keep(dir string, replace bool) (string, error) {
	file := filepath.Join(dir, r.FileName(), fmt.Sprintf("v%d-%s.json", r.Version, fileName(short(r.Revision))))
	bad := func(err error) error { return failure.New(failure.KindOf(err), "write result", file, err) }
	others, err := ReadResults(filepath.Dir(file))
	if err != nil && !failure.Is(err, failure.NotFound) {
		return "", err
	}
	for _, o := range others {
		if o.Version == r.Version && o.Registered != r.Registered {
			return "", failure.New(failure.Exists, "write result", file, fmt.Errorf("a workload, knob, seed, bound, or "+
				"expectation differs from those of version %d at revision %s", o.Version, o.Revision)).
				Fix("raise the version in the registration")
		}
	}
	if _, err := os.Stat(file); err == nil && !replace {
		return "", failure.New(failure.Exists, "write result", file, errors.New("it exists")).Fix("use --replace")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", bad(err)
	}
	b, err := r.encode()
	if err != nil {
		return "", bad(err)
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		return "", bad(err)
	}
	return file, nil
}

// short shortens the hash in a revision, but keeps its end if it says that the program was built from
// uncommitted changes.
func short(revision string) string {
	hash, dirty := strings.CutSuffix(revision, "-dirty")
	hash = hash[:min(len(hash), 12)]
	if dirty {
		hash += "-dirty"
	}
	return hash
}

// leaf matches an indented array of numbers or strings.
var leaf = regexp.MustCompile(`\[\n(?:\s*(?:"(?:[^"\\\n]|\\.)*"|[-+0-9.eE]+),?\n)+\s*\]`)

// encode returns the result as indented JSON, with each array of numbers or strings on one line.
func (r *Result) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return leaf.ReplaceAllFunc(b.Bytes(), func(array []byte) []byte {
		lines := strings.Split(string(array), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		return []byte(strings.Join(lines, ""))
	}), nil
}

// round rounds the plot's numbers to five significant digits, which is more than a plot can show.
func (p *Plot) round() {
	for i := range p.Series {
		s := &p.Series[i]
		for _, list := range []*[]float64{&s.X, &s.Y, &s.Low, &s.High} {
			*list = slices.Clone(*list)
			for k, x := range *list {
				(*list)[k], _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64) // always valid
			}
		}
	}
}

// ReadResults returns the results in dir and its folders, ordered by name and time. It returns an
// error of kind NotFound if there is none, and an error of kind Corrupt if a file is damaged or has
// unknown fields.
func ReadResults(dir string) (list []*Result, err error) {
	for _, pattern := range []string{"*.json", "*/*.json"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern)) // both patterns are valid
		for _, f := range files {
			r, err := ReadResult(f)
			if err != nil {
				return nil, err
			}
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil, failure.New(failure.NotFound, "read results", dir, errors.New("it contains no results")).
			Fix("name a directory that howdah experiment run --out created")
	}
	slices.SortStableFunc(list, func(a, b *Result) int {
		if c := strings.Compare(a.name(), b.name()); c != 0 {
			return c
		}
		return a.Began.Compare(b.Began)
	})
	return list, nil
}

// ReadResult reads the result in a file. It returns an error of kind Corrupt if the file has another
// form.
func ReadResult(file string) (*Result, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read result", file, err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	r := &Result{}
	if err := d.Decode(r); err != nil {
		return nil, failure.New(failure.Corrupt, "read result", file, err)
	}
	return r, nil
}

// fileName returns s with an underscore for each character that is not an ASCII letter, an ASCII
// digit, '-', '.', or '!'.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '!':
			return r
		}
		return '_'
	}, s)
}
