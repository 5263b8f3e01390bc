// Package scenario runs a workload on a cluster that a file describes, in the simulator or on real
// nodes of this machine. A run of either kind has a Result of the same form. Start with Read, which
// reads a file, Simulate and RunReal, which run it, and Compare, which compares two results.
package scenario

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Scenario is the content of a file. Times are in ms, and sizes in bytes.
type Scenario struct {
	Name, About string
	Nodes       Nodes
	// Pool describes the MR-clusters that share the nodes. Nil means that the nodes are one cluster.
	Pool *Pool
	// Schedulers, Weights, and Orchestrators list the choices of each kind. A run tries every
	// combination. Weights is nil without a pool.
	Schedulers, Weights, Orchestrators []string
	CoTenants                          []CoTenant
	Work                               []Work
	Faults                             *simulator.Plan // nil = none
	Aways                              []simulator.Away
	Repeat                             Repeat
	Seed                               uint64
	Profile                            string // file or directory of a result; "" = none
	Measures                           []string

	parts Parts
	File  string // path of the file
	Text  string // content of the file
}

// Nodes describes the nodes of a cluster or pool.
type Nodes struct {
	Count       int
	Slots       [2]int32
	Cores       float64 // limit of a node's CPU time, in cores; 0 = no limit
	Memory      int64   // of a node, for tasks; 0 = not limited
	Heartbeat   int64   // minimum time between heartbeats
	Speculation string
	Settings    map[string]string // of all daemons; @DIR@ is the directory of Files
	Files       map[string]string // contents by name
}

// Pool describes a pool's manager and MR-clusters.
type Pool struct {
	Kind     string // of nodes: processes, namespaces, or containers
	Image    string // of containers
	Mbit     int64  // rate of a namespace's link; 0 = no limit
	Interval int64  // between two computations of weights and shares
	Idle     int64  // after which an MR-cluster gives up its nodes
	Start    int64  // time that the daemons of a node need to start, in the simulator
	Grow     string
	Clusters []MRCluster
}

// MRCluster is an MR-cluster of a pool.
type MRCluster struct {
	Name string
	Core int // nodes that it keeps while it is deployed
}

// CoTenant is the share f(t) of nodes' CPU that others use.
type CoTenant struct {
	Nodes  simulator.Nodes // nil = all
	Slots  bool            // the share costs slots instead of speed
	Period int64           // after which the steps repeat; 0 = never
	Steps  []Step
	// Foretold makes the adaptive schedulers know f(t) and keep their tasks within it. Nothing else
	// enforces it then.
	Foretold bool
	line     int
}

// Step is a share from 0 to 1 that applies from At on, until the next step.
type Step struct {
	At    int64
	Share float64
}

// Repeat is the number of repetitions of each combination.
type Repeat struct{ Simulated, Real int }

// Work is a part of the workload. It is either an application that runs at some times, a trace, or a
// generated workload.
type Work struct {
	Name    string
	Cluster string // MR-cluster; "" without a pool

	App      string // of the suite; "" = Run
	Size     string // of the suite's input
	Run      []string
	Input    *Input // nil = Run has no input
	Settings map[string]string
	After    string // part that must have ended before; "" = none
	Arrive   Arrivals
	Deadline int64 // from the arrival; 0 = none
	Tasks    *Tasks
	CPU      float64 // that a task needs, in cores; 0 = negligible
	Memory   int64   // that a task needs
	Thrash   float64 // factor of additional time of a task that gets none of its memory

	Trace          string // file
	Generate       string // kind of workload
	Jobs           int
	Gaps           dist.Dist // between submissions, in ms; nil = those of the kind
	DeadlineFactor float64
	Scale          [3]float64 // of tasks, time, and gaps

	line int
	open Opener // of the trace; nil = the file Trace
}

// Opener opens a trace for one run. The caller calls done after reading it.
type Opener func(context.Context) (src trace.Source, done func() error, err error)

// Replay replaces the jobs of a part of the workload by those of a trace. The part keeps its
// MR-cluster, its demands, and its factors. part may be "" if the workload has only one part. name is
// the trace's name in reports. A deadline factor above 0 replaces that of the part. Replay returns an
// error of kind Usage if there is no such part, or if the part is an application.
func (s *Scenario) Replay(part, name string, deadlineFactor float64, open Opener) error {
	bad := func(why string) error {
		return failure.New(failure.Usage, "replay", name, errors.New(why)).Fix("name one of the parts: " + s.partNames())
	}
	if part == "" && len(s.Work) > 1 {
		return bad("the workload has several parts")
	}
	for i := range s.Work {
		w := &s.Work[i]
		if part != "" && w.Name != part {
			continue
		}
		if w.IsApplication() {
			return bad("the part " + w.Name + " runs an application, not a trace")
		}
		w.Trace, w.Generate, w.open = name, "", open
		if deadlineFactor != 0 {
			w.DeadlineFactor = deadlineFactor
		}
		return nil
	}
	return bad("the workload has no part " + part)
}

// partNames lists the parts of the workload that a trace can replace.
func (s *Scenario) partNames() string {
	var names []string
	for i := range s.Work {
		if !s.Work[i].IsApplication() {
			names = append(names, s.Work[i].Name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// demands reports whether the simulator needs the demands of the part's tasks.
func (w *Work) demands() bool { return w.CPU > 0 || w.Memory > 0 }

// IsApplication reports whether w is an application rather than a list of jobs with given times.
func (w *Work) IsApplication() bool { return w.Trace == "" && w.Generate == "" }

// Input describes the generated input of an application.
type Input struct {
	Kind  string
	Bytes int64
	Parts int // files, each of which is the input of one map
}

// Arrivals determines when an application runs.
type Arrivals struct {
	At    []int64 // nil = Count times with the given gaps, the first after one gap unless Every is set
	Count int
	Every int64
	Gaps  dist.Dist
}

// Tasks describes an application's tasks in the simulator.
type Tasks struct {
	Maps, Reduces             int
	Map, Shuffle, ReducePhase dist.Dist // in ms
}

// Variant is one combination of the choices.
type Variant struct{ Scheduler, Weights, Orchestrator string }

// orchestrates returns the value of howdah.orchestrator.
func (v Variant) orchestrates() string {
	if v.Orchestrator == "off" {
		return "off"
	}
	return "on"
}

// orchestrates reports whether a variant has an orchestrator.
func (s *Scenario) orchestrates() bool {
	return slices.ContainsFunc(s.Orchestrators, func(o string) bool { return o != "off" })
}

// departs reports whether the only faults are nodes that fail or leave.
func (s *Scenario) departs() bool {
	p := s.Faults
	return p == nil || len(p.Speeds)+len(p.Joins) == 0 && p.Locality == [3]float64{} && p.Straggle.Share == 0 &&
		p.Fail == 0 && p.Crash.Every == 0
}

// variantName returns the choices that differ between the scenario's variants, or the scheduler.
func (s *Scenario) variantName(v Variant) string {
	name := v.Scheduler
	if len(s.Weights) > 1 {
		name += " " + v.Weights
	}
	if len(s.Orchestrators) > 1 {
		name += " orchestrator-" + v.Orchestrator
	}
	return name
}

// Variants returns all combinations of schedulers, weights, and orchestrators.
func (s *Scenario) Variants() (list []Variant) {
	weights := s.Weights
	if len(weights) == 0 {
		weights = []string{""}
	}
	for _, scheduler := range s.Schedulers {
		for _, w := range weights {
			for _, o := range s.Orchestrators {
				list = append(list, Variant{scheduler, w, o})
			}
		}
	}
	return list
}

// Merged returns the scenario with one cluster instead of the pool's MR-clusters.
func (s *Scenario) Merged() *Scenario {
	one := *s
	one.Pool, one.Weights, one.Work = nil, nil, slices.Clone(s.Work)
	for i := range one.Work {
		one.Work[i].Cluster = ""
	}
	return &one
}

// contends reports whether tasks contend for the CPU and memory of their nodes in the simulator.
func (s *Scenario) contends() bool {
	for i := range s.Work {
		if s.Work[i].demands() {
			return true
		}
	}
	return false
}
