package scenario

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// work reads a part of the workload.
func (d *decoder) work(n *yaml.Node) Work {
	w := Work{line: n.Line, Scale: [3]float64{1, 1, 1}, Arrive: Arrivals{Count: 1}}
	var at []string
	seen := d.mapping(n, "workload",
		field{"name", d.name(&w.Name)},
		field{"cluster", d.name(&w.Cluster)},
		// applications
		field{"app", d.choice(&w.App, suiteNames()...)},
		field{"size", d.choice(&w.Size, sizeNames()...)},
		field{"run", d.strings(&w.Run)},
		field{"input", func(n *yaml.Node, key string) { w.Input = d.input(n) }},
		field{"set", d.texts(&w.Settings, allowed)},
		field{"after", d.name(&w.After)},
		field{"at", d.strings(&at)},
		field{"count", d.count(&w.Arrive.Count, 1, 100_000)},
		field{"every", d.millis(&w.Arrive.Every, 1)},
		field{"gaps", d.distribution(&w.Arrive.Gaps)},
		field{"deadline", d.millis(&w.Deadline, 1)},
		field{"tasks", func(n *yaml.Node, key string) { w.Tasks = d.tasks(n) }},
		field{"cpu", d.number(&w.CPU, 0.001, 1000)},
		field{"memory", d.bytes(&w.Memory, 1<<20, 1<<40)},
		field{"thrash", d.number(&w.Thrash, 0, 1000)},
		// jobs with given times
		field{"trace", d.text(&w.Trace)},
		field{"generate", d.choice(&w.Generate, d.parts.workloadNames()...)},
		field{"jobs", d.count(&w.Jobs, 1, maxWork)},
		field{"deadline-factor", d.number(&w.DeadlineFactor, 1, 1e6)},
		field{"scale-tasks", d.number(&w.Scale[0], 1e-6, 1e6)},
		field{"scale-time", d.number(&w.Scale[1], 1e-6, 1e6)},
		field{"scale-gaps", d.number(&w.Scale[2], 1e-6, 1e6)},
	)
	for _, s := range at {
		t := d.time(n.Line, "at", s, 0)
		if len(w.Arrive.At) > 0 && t < w.Arrive.At[len(w.Arrive.At)-1] {
			d.bad(n.Line, "at: %s is earlier than the time before it", s)
		}
		w.Arrive.At = append(w.Arrive.At, t)
	}
	d.checkWork(&w, seen)
	if w.Generate != "" {
		w.Gaps, w.Arrive = w.Arrive.Gaps, Arrivals{}
	}
	return w
}

// The keys that apply only to some kinds of parts.
var (
	ofApplications = []string{"after", "at", "count", "every", "deadline", "tasks", "set"}
	ofGenerated    = []string{"jobs"}
	ofJobs         = []string{"deadline-factor", "scale-tasks", "scale-time", "scale-gaps"}
)

// checkWork reports keys that are missing, or that have no effect together.
func (d *decoder) checkWork(w *Work, seen map[string]bool) {
	kinds := []string{"app", "run", "trace", "generate"}
	n := 0
	for _, k := range kinds {
		if seen[k] {
			n++
		}
	}
	if n != 1 {
		d.bad(w.line, "workload: want exactly one of %s", strings.Join(kinds, ", "))
		return
	}
	needless := func(why string, keys ...string) {
		for _, k := range keys {
			if seen[k] {
				d.bad(w.line, "workload: %s has no effect %s", k, why)
			}
		}
	}
	if w.IsApplication() {
		needless("on an application", append(slices.Clone(ofJobs), ofGenerated...)...)
		if seen["at"] {
			needless("with at", "count", "every", "gaps")
		}
		if seen["every"] {
			needless("with every", "gaps")
		}
		if seen["count"] && w.Arrive.Count > 1 && !seen["every"] && !seen["gaps"] {
			d.bad(w.line, "workload: count needs every or gaps")
		}
		if w.Arrive.Count == 1 && !seen["at"] && !seen["gaps"] {
			w.Arrive.At = []int64{0}
		}
	} else {
		needless("on jobs with given times", ofApplications...)
	}
	if w.Generate == "" {
		needless("without generate", ofGenerated...)
		if !w.IsApplication() {
			needless("on a trace", "gaps")
		}
	} else if !seen["jobs"] {
		d.bad(w.line, "workload: generate needs jobs, their number")
	}
	if w.App == "" {
		needless("without app", "size")
	} else {
		needless("with app, which has its own input", "input")
	}
	if w.Run != nil {
		d.checkRun(w, seen)
	}
	if w.Thrash > 0 && w.Memory == 0 {
		d.bad(w.line, "workload: thrash has no effect without memory")
	}
	if w.App != "" && w.Size == "" {
		w.Size = "tiny"
	}
	if w.Name == "" {
		first := ""
		if len(w.Run) > 0 {
			first = w.Run[0]
		}
		w.Name = cmp.Or(w.App, w.Generate, first, "trace")
	}
	c := conf.New()
	for _, k := range ordered.Keys(w.Settings) {
		c.Set(k, w.Settings[k], "set")
	}
	d.settings(c, w.line)
}

// checkRun checks a part that names its own command.
func (d *decoder) checkRun(w *Work, seen map[string]bool) {
	known := false
	for _, p := range apps.All() {
		known = known || p.App().Name == w.Run[0]
	}
	if !known {
		d.bad(w.line, "run: howdah has no application %q; howdah run lists them", w.Run[0])
	}
	in := slices.Contains(w.Run, "{in}")
	if in != seen["input"] {
		d.bad(w.line, "run: want both input and the word {in}, or neither")
	}
	if !seen["tasks"] {
		d.bad(w.line, "run: tasks is missing: it gives the numbers and times of the tasks in the simulator")
	}
}

func (d *decoder) distribution(to *dist.Dist) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		s, ok := d.scalar(n, key, "a distribution")
		if !ok {
			return
		}
		x, err := dist.Parse(s)
		if err != nil {
			d.bad(n.Line, "%s: %q: want a distribution in ms, such as exponential(20000)", key, s)
			return
		}
		*to = x
	}
}

func (d *decoder) input(n *yaml.Node) *Input {
	in := &Input{Parts: 1}
	seen := d.mapping(n, "input",
		field{"kind", d.choice(&in.Kind, inputKinds()...)},
		field{"size", d.bytes(&in.Bytes, 1<<10, 1<<44)},
		field{"parts", d.count(&in.Parts, 1, 10_000)})
	if !seen["kind"] || !seen["size"] {
		d.bad(n.Line, "input: want kind and size")
	}
	return in
}

func (d *decoder) tasks(n *yaml.Node) *Tasks {
	zero, _ := dist.Parse("0")
	t := &Tasks{Shuffle: zero, ReducePhase: zero}
	seen := d.mapping(n, "tasks",
		field{"maps", d.count(&t.Maps, 1, 1_000_000)},
		field{"reduces", d.count(&t.Reduces, 0, 1_000_000)},
		field{"map-time", d.distribution(&t.Map)},
		field{"shuffle-time", d.distribution(&t.Shuffle)},
		field{"reduce-time", d.distribution(&t.ReducePhase)})
	if !seen["maps"] || t.Map == nil {
		d.bad(n.Line, "tasks: want maps and map-time")
	}
	return t
}
