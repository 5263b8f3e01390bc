package ra

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// BibTeX is the BibTeX entry of the paper.
const BibTeX = `@inproceedings{polo2014adaptive,
  author = {Polo, Jordà and Becerra, Yolanda and Carrera, David and Torres, Jordi and Ayguadé, Eduard and
    Steinder, Malgorzata},
  title = {Adaptive {MapReduce} Scheduling in Shared Environments},
  booktitle = {14th IEEE/ACM International Symposium on Cluster, Cloud and Grid Computing (CCGrid)},
  year = {2014}
}`

// Paper is the short name of the paper.
const Paper = "Reverse-Adaptive (CCGrid 2014)"

// HeavyTail is the distribution of job sizes, in tasks, in the experiments. It is lognormal with
// the mean of Table I and a standard deviation of 300, because the paper says that its job sizes
// resemble those in traces. Literal is the distribution exactly as in Table I.
var (
	HeavyTail = dist.LogNormalOf(62, 300)
	Literal   = dist.LogNormalOf(62, 15.5)
)

// Factors and Loads are the values on the axes of the paper's figures. Each element of Factors is
// an upper bound of the deadline factors. The lower bound is always 1.5.
var (
	Factors = []float64{4, 8, 12}
	Loads   = []float64{0.2, 0.4, 0.6, 0.8, 1}
)

// cycle is the scheduler's cycle in ms with tasks of 387 s. The paper says that it is "in the order of
// tens of seconds".
const cycle = 30_000

// Base returns the workload of Table I, with our values for the choices that the paper leaves open.
// factor is one of Factors. level is the burstiness of the transactional workload; 0 means none.
func Base(load, factor float64, level int) Case {
	return Case{
		Workload: generate.Shared{Load: load, Factor: [2]float64{1.5, factor}, Tasks: HeavyTail, Days: 7,
			F: generate.Burstiness(level)},
		Settings: map[string]string{"howdah.adaptive.cycle": strconv.Itoa(cycle), "howdah.adaptive.late": "demote",
			"howdah.adaptive.whole.tasks": "true",
			"howdah.adaptive.horizon":     "task", "howdah.adaptive.surplus": "max",
			"howdah.adaptive.average.capacity": "true"},
	}
}

// Short is the length of a task in ms that follows from Table I if each node has one slot. Long is ten
// times as much. With Long, jobs last hours, so f(t) changes before many deadlines.
const (
	Short = 387e3
	Long  = 10 * Short
)

// ramp is the time in hours that f(t) takes to fall and to rise in Slopes, a third of the time that
// the cosine of Base takes.
const ramp = 4

// Stretch returns a case of Base with tasks of the given length in ms. Because the load stays the
// same, jobs arrive less often. The number of days grows with the length of a task, so as many jobs
// arrive as in Table I, and so does the scheduler's cycle. Only f(t) still has a period of one day.
func (c Case) Stretch(task float64) Case {
	by := task / Short
	c.Workload.Days = int(math.Round(float64(c.Workload.Days) * by))
	c.Workload.Task = task
	c.Settings = maps.Clone(c.Settings)
	c.Settings["howdah.adaptive.cycle"] = strconv.Itoa(int(math.Round(cycle * by)))
	return c
}

// Slopes returns the workload of Base with long tasks and a steep f(t).
func Slopes(load, factor float64, level int) Case {
	c := Base(load, factor, level).Stretch(Long)
	c.Workload.F.Ramp = ramp
	return c
}

// The schedulers that the experiments compare. ByCycle is the Reverse-Adaptive scheduler with the
// alternative interpretation of the end of Algorithm 1. In Unlimited, s_req may exceed the average
// capacity until the goal. MaxEDF runs the jobs in the order of their deadlines.
var (
	FIFO     = Contender{Name: "FIFO", Policy: "fifo"}
	Adaptive = Contender{Name: "Adaptive", Policy: "adaptive"}
	Reverse  = Contender{Name: "Reverse-Adaptive", Policy: "reverse-adaptive"}
	ByCycle  = Contender{Name: "Reverse-Adaptive, horizon=cycle", Policy: "reverse-adaptive",
		Settings: map[string]string{"howdah.adaptive.horizon": "cycle"}}
	Blind     = Contender{Name: "Reverse-Adaptive without f(t)", Policy: "reverse-adaptive", Blind: true}
	Unlimited = Contender{Name: "Reverse-Adaptive, s_req not limited", Policy: "reverse-adaptive",
		Settings: unlimited}
	UnlimitedBlind = Contender{Name: "Reverse-Adaptive without f(t), s_req not limited", Policy: "reverse-adaptive",
		Settings: unlimited, Blind: true}
	MinMiss = Contender{Name: "minmiss", Policy: "minmiss"}
	EDF     = Contender{Name: "MaxEDF", Policy: "maxedf"}
)

var unlimited = map[string]string{"howdah.adaptive.average.capacity": "false"}

// Where returns a case's load and deadline factors as text.
func Where(c Case) string {
	return fmt.Sprintf("load %.1f, factor 1.5-%.0f", c.Workload.Load, c.Workload.Factor[1])
}

// Table adds a table of a metric with a row for each case and a column for each contender.
func Table(r *lab.Run, name, unit string, contenders []Contender, cases []Case, grid [][][]Outcome, m Metric) {
	head := []string{"load", "deadline factor", "f(t) amplitude"}
	for _, c := range contenders {
		head = append(head, c.Name+": "+unit)
	}
	var rows [][]string
	for i, w := range cases {
		row := []string{fmt.Sprintf("%.1f", w.Workload.Load), fmt.Sprintf("1.5-%.0f", w.Workload.Factor[1]),
			fmt.Sprintf("%.3f", w.Workload.F.Amplitude)}
		for k := range contenders {
			row = append(row, Of(grid[i][k], m).Fine())
		}
		rows = append(rows, row)
	}
	r.AddTable(name, head, rows)
}

// Plot adds a plot of a metric by load for the cases that keep accepts, with one line per contender.
func Plot(r *lab.Run, name, title, y string, contenders []Contender, cases []Case, grid [][][]Outcome, m Metric,
	keep func(Case) bool) {
	p := lab.Plot{Name: name, Title: title, X: "load", Y: y, Kind: lab.Lines, Nested: true}
	for k, c := range contenders {
		s := lab.Series{Name: c.Name}
		for i, w := range cases {
			if !keep(w) {
				continue
			}
			v := Of(grid[i][k], m)
			s.X = append(s.X, w.Workload.Load)
			s.Y = append(s.Y, v.Mean)
			s.Low = append(s.Low, v.Mean-v.Half)
			s.High = append(s.High, v.Mean+v.Half)
		}
		p.Series = append(p.Series, s)
	}
	r.AddPlot(p)
}
