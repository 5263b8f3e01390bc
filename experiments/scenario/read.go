package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/cli/minicluster"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
)

// Limits of a scenario.
const (
	maxFile  = 1 << 20
	maxNodes = 100_000
	maxRuns  = 100_000
	maxWork  = 10_000_000 // jobs of a part of the workload
)

// Read reads the scenario in a file, or the shipped scenario of this name. Errors are of kind Config
// and contain the line and the key.
func Read(path string, parts Parts) (*Scenario, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && isName(path) {
		if shipped, ok := Shipped(path); ok {
			return Parse(path, shipped, parts)
		}
		return nil, failure.New(failure.NotFound, "read scenario", path, errors.New("no file or shipped scenario has "+
			"this name")).Fix("howdah scenario list lists the shipped scenarios")
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read scenario", path, err)
	}
	return Parse(path, string(text), parts)
}

// Parse reads a scenario. file is its path: errors contain it, and other files that the scenario
// names are relative to its directory.
func Parse(file, text string, parts Parts) (*Scenario, error) {
	table, err := parts.Table()
	if err != nil {
		return nil, err
	}
	d := &decoder{file: file, parts: parts, schedulers: table.Names()}
	s := &Scenario{parts: parts, File: file, Text: text, Seed: 1, Repeat: Repeat{Simulated: 5, Real: 1}}
	if len(text) > maxFile {
		d.bad(1, "the file has more than %d bytes", maxFile)
		return nil, d.err()
	}
	var doc, more yaml.Node
	y := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	if err := y.Decode(&doc); err == io.EOF {
		d.bad(1, "the file is empty")
		return nil, d.err()
	} else if err != nil {
		return nil, failure.New(failure.Config, "read scenario", file, err).Fix("the file is not YAML")
	}
	if err := y.Decode(&more); err != io.EOF {
		d.bad(max(1, more.Line), "the file has more than one document")
		return nil, d.err()
	}
	d.scenario(doc.Content[0], s)
	if err := d.err(); err != nil {
		return nil, err
	}
	d.check(s)
	return s, d.err()
}

func (d *decoder) scenario(n *yaml.Node, s *Scenario) {
	var faults *yaml.Node
	seed := int(s.Seed)
	seen := d.mapping(n, "the scenario",
		field{"scenario", d.name(&s.Name)},
		field{"about", d.text(&s.About)},
		field{"cluster", func(n *yaml.Node, key string) { d.cluster(n, s) }},
		field{"pool", func(n *yaml.Node, key string) { d.pool(n, s) }},
		field{"scheduler", d.choices(&s.Schedulers, d.schedulers...)},
		field{"weights", d.choices(&s.Weights, d.parts.weightNames()...)},
		field{"orchestrator", d.choices(&s.Orchestrators, d.parts.orchestrators()...)},
		field{"co-tenants", func(n *yaml.Node, key string) {
			d.each(n, key, func(v *yaml.Node) { s.CoTenants = append(s.CoTenants, d.coTenant(v)) })
		}},
		field{"workload", func(n *yaml.Node, key string) {
			d.each(n, key, func(v *yaml.Node) { s.Work = append(s.Work, d.work(v)) })
		}},
		field{"faults", func(n *yaml.Node, key string) { faults = n; d.faults(n, s) }},
		field{"repetitions", func(n *yaml.Node, key string) { d.repetitions(n, key, s) }},
		field{"seed", d.count(&seed, 1, 1<<31-1)},
		field{"profile", d.text(&s.Profile)},
		field{"measures", d.choices(&s.Measures, measureNames()...)},
	)
	s.Seed = uint64(seed)
	if !seen["scenario"] {
		d.bad(n.Line, "scenario is missing: it names the scenario")
	}
	if seen["cluster"] == seen["pool"] {
		d.bad(n.Line, "want either cluster or pool")
	}
	if !seen["workload"] {
		d.bad(n.Line, "workload is missing: it lists applications, traces and generated workloads")
	}
	if !seen["pool"] && seen["weights"] {
		d.bad(n.Line, "weights has no effect without a pool")
	}
	if seen["pool"] && !seen["weights"] {
		s.Weights = []string{"TD"}
	}
	if seen["pool"] && !s.departs() {
		d.bad(faults.Line, "faults of a pool: want only lose and leave")
	}
	if !seen["scheduler"] {
		s.Schedulers = []string{catalog.Default}
	}
	if !seen["orchestrator"] {
		s.Orchestrators = []string{"off"}
	}
}

func measureNames() (names []string) {
	for _, m := range lab.Measures {
		names = append(names, m.Name)
	}
	return names
}

// nodeFields are the keys that clusters and pools share.
func (d *decoder) nodeFields(x *Nodes) []field {
	maps, reduces := 2, 1
	x.Slots = [2]int32{2, 1}
	slot := func(to *int, kind int) func(*yaml.Node, string) {
		return func(n *yaml.Node, key string) {
			d.count(to, 0, 1000)(n, key)
			x.Slots[kind] = int32(*to)
		}
	}
	x.Heartbeat, x.Speculation = 300, "none"
	return []field{
		{"nodes", d.count(&x.Count, 1, maxNodes)},
		{"maps", slot(&maps, 0)},
		{"reduces", slot(&reduces, 1)},
		{"cores", d.number(&x.Cores, 0.01, 1000)},
		{"memory", d.bytes(&x.Memory, 64<<20, 1<<40)},
		{"heartbeat", d.millis(&x.Heartbeat, 10)},
		{"speculation", d.choice(&x.Speculation, speculation.Names()...)},
		{"set", d.texts(&x.Settings, allowed)},
		{"files", d.texts(&x.Files, func(name string) error {
			if !isName(name) {
				return errors.New("want a file name without a folder")
			}
			return nil
		})},
	}
}

// decided lists the settings that the scenario's own keys decide, with those keys.
var decided = map[string]string{
	conf.JobTrackerTaskScheduler.Name:          "scheduler",
	conf.TaskTrackerMapTasksMaximum.Name:       "maps",
	conf.TaskTrackerReduceTasksMaximum.Name:    "reduces",
	"howdah.jobtracker.heartbeat.interval.min": "heartbeat",
	"howdah.speculation":                       "speculation",
	"howdah.orchestrator":                      "orchestrator",
	"howdah.mrcluster.weights":                 "weights",
	"howdah.mrcluster.interval.ms":             "interval",
	"howdah.mrcluster.idle.ms":                 "idle",
	"howdah.mrcluster.grow":                    "grow",
	"howdah.mrcluster.nodes":                   "nodes",
	"howdah.mrcluster.backend":                 "kind",
	conf.JobDeadline.Name:                      "deadline",
	conf.JobName.Name:                          "name",
}

// allowed returns an error if a scenario must not contain the setting.
func allowed(key string) error {
	if by := decided[conf.Canonical(key)]; by != "" {
		return fmt.Errorf("use the key %s instead", by)
	}
	if minicluster.Fixed(key) {
		return errors.New("the cluster chooses this value itself")
	}
	return nil
}

func (d *decoder) cluster(n *yaml.Node, s *Scenario) {
	if seen := d.mapping(n, "cluster", d.nodeFields(&s.Nodes)...); !seen["nodes"] {
		d.bad(n.Line, "cluster: nodes is missing")
	}
}

// The kinds of nodes of a real pool.
const (
	processes  = "processes"
	namespaces = "namespaces"
	containers = "containers"
)

func (d *decoder) pool(n *yaml.Node, s *Scenario) {
	p := &Pool{Kind: processes, Image: "howdah", Interval: 5000, Start: 1500, Grow: "transient"}
	s.Pool = p
	mbit := 0
	seen := d.mapping(n, "pool", append(d.nodeFields(&s.Nodes),
		field{"kind", d.choice(&p.Kind, processes, namespaces, containers)},
		field{"image", d.text(&p.Image)},
		field{"mbit", d.count(&mbit, 1, 100_000)},
		field{"interval", d.millis(&p.Interval, 100)},
		field{"idle", d.millis(&p.Idle, 100)},
		field{"start", d.millis(&p.Start, 0)},
		field{"grow", d.choice(&p.Grow, "transient", "transient-core")},
		field{"clusters", func(n *yaml.Node, key string) {
			d.each(n, key, func(v *yaml.Node) {
				c := MRCluster{Core: 1}
				if !d.mapping(v, key, field{"name", d.name(&c.Name)}, field{"core", d.count(&c.Core, 1, maxNodes)})["name"] {
					d.bad(v.Line, "clusters: name is missing")
				}
				if slices.ContainsFunc(p.Clusters, func(o MRCluster) bool { return o.Name == c.Name }) {
					d.bad(v.Line, "clusters: %s occurs twice", c.Name)
				}
				p.Clusters = append(p.Clusters, c)
			})
		}})...)
	p.Mbit = int64(mbit)
	if p.Idle == 0 {
		p.Idle = p.Interval
	}
	for _, key := range []string{"nodes", "clusters"} {
		if !seen[key] {
			d.bad(n.Line, "pool: %s is missing", key)
		}
	}
	if seen["mbit"] && p.Kind != namespaces {
		d.bad(n.Line, "pool: mbit needs kind: namespaces, because other nodes have no links of their own")
	}
	if seen["image"] && p.Kind != containers {
		d.bad(n.Line, "pool: image needs kind: containers")
	}
}

func (d *decoder) coTenant(n *yaml.Node) CoTenant {
	c := CoTenant{line: n.Line}
	takes, nodes, foretold := "speed", "all", "false"
	seen := d.mapping(n, "co-tenants",
		field{"nodes", d.text(&nodes)},
		field{"takes", d.choice(&takes, "speed", "slots")},
		field{"period", d.millis(&c.Period, 100)},
		field{"foretold", d.choice(&foretold, "true", "false")},
		field{"share", func(n *yaml.Node, key string) {
			d.pairs(n, key, func(k, v *yaml.Node) {
				st := Step{At: d.time(k.Line, key, k.Value, 0)}
				d.number(&st.Share, 0, 1)(v, key)
				if len(c.Steps) > 0 && st.At <= c.Steps[len(c.Steps)-1].At {
					d.bad(k.Line, "%s: %s is not later than the time before it", key, k.Value)
				}
				c.Steps = append(c.Steps, st)
			})
			if len(c.Steps) == 0 || len(c.Steps) > maxItems {
				d.bad(n.Line, "%s: want 1 to %d times with their shares", key, maxItems)
			}
		}})
	c.Slots, c.Foretold = takes == "slots", foretold == "true"
	if c.Foretold && (!c.Slots || c.Period == 0 || nodes != "all" || len(c.Steps) == 0 || c.Steps[0].At != 0) {
		d.bad(n.Line, "co-tenants: foretold needs takes: slots, a period, all nodes, and a share at 0s")
	}
	if !seen["share"] {
		d.bad(n.Line, "co-tenants: share is missing")
	}
	if l := len(c.Steps); c.Period > 0 && l > 0 && c.Steps[l-1].At >= c.Period {
		d.bad(n.Line, "co-tenants: the last time of share is not within the period")
	}
	p, err := simulator.ParsePlan("load " + cmp.Or(strings.ReplaceAll(nodes, " ", ""), "all") + " 0s 0")
	if err != nil {
		d.bad(n.Line, "nodes: %q: write all or 1-8,12", nodes)
	} else {
		c.Nodes = p.Loads[0].Nodes
	}
	return c
}

// faults reads a plan, whose text may have several lines.
func (d *decoder) faults(n *yaml.Node, s *Scenario) {
	text, ok := d.scalar(n, "faults", "lines of a plan")
	if !ok {
		return
	}
	first := n.Line
	if n.Style == yaml.LiteralStyle || n.Style == yaml.FoldedStyle {
		first++
	}
	p := &simulator.Plan{}
	for i, line := range strings.Split(text, "\n") {
		one, err := simulator.ParsePlan(line)
		if err != nil {
			var e *failure.Error
			if errors.As(err, &e) {
				err = e.Err
			}
			d.bad(first+i, "faults: %s: %v", strings.TrimSpace(line), err)
			continue
		}
		if len(one.Loads) > 0 {
			d.bad(first+i, "faults: use co-tenants instead of load")
		}
		p.Aways = append(p.Aways, one.Aways...)
	}
	if whole, err := simulator.ParsePlan(text); err == nil {
		s.Faults = whole
	}
	s.Aways = p.Aways
}

func (d *decoder) repetitions(n *yaml.Node, key string, s *Scenario) {
	if n.Kind == yaml.ScalarNode {
		d.count(&s.Repeat.Simulated, 1, maxRuns)(n, key)
		s.Repeat.Real = s.Repeat.Simulated
		return
	}
	d.mapping(n, key, field{"simulated", d.count(&s.Repeat.Simulated, 1, maxRuns)},
		field{"real", d.count(&s.Repeat.Real, 1, maxRuns)})
}

// check reports errors that concern several keys.
func (d *decoder) check(s *Scenario) {
	nodes := s.Nodes.Count
	if s.Faults != nil {
		for i, a := range s.Faults.Aways {
			for _, n := range a.Nodes {
				if n > nodes {
					d.bad(1, "faults: node %d of statement %d does not exist: want 1 to %d", n, i+1, nodes)
				}
			}
		}
		if s.contends() && len(s.Faults.Aways)+len(s.Faults.Joins) > 0 {
			d.bad(1, "faults: nodes cannot come or go if tasks contend for cpu or memory")
		}
	}
	for _, c := range s.CoTenants {
		for _, n := range c.Nodes {
			if n > nodes {
				d.bad(c.line, "co-tenants: node %d does not exist: want 1 to %d", n, nodes)
			}
		}
		for _, st := range c.Steps {
			if !c.Slots && st.Share > 0.99 {
				d.bad(c.line, "co-tenants: share %g leaves no capacity: want at most 0.99, or takes: slots", st.Share)
			}
		}
	}
	d.checkForetold(s)
	names := map[string]bool{}
	for i := range s.Work {
		w := &s.Work[i]
		if names[w.Name] {
			d.bad(w.line, "workload: the name %s occurs twice", w.Name)
		}
		d.checkAfter(s, w, names)
		names[w.Name] = true
		d.checkPlace(s, w)
	}
	if s.contends() && (s.Nodes.Cores == 0 || s.Nodes.Memory == 0) {
		d.bad(1, "applications with cpu or memory need cores and memory of the nodes")
	}
	if s.orchestrates() && (s.Nodes.Cores == 0 || s.Nodes.Memory == 0) {
		d.bad(1, "orchestrator: on needs cores and memory of the nodes")
	}
	if s.Pool != nil {
		core := 0
		for _, c := range s.Pool.Clusters {
			core += c.Core
		}
		if core > nodes {
			d.bad(1, "pool: the MR-clusters keep %d nodes, but there are only %d", core, nodes)
		}
	}
	c := conf.New()
	for _, k := range ordered.Keys(s.Nodes.Settings) {
		c.Set(k, s.Nodes.Settings[k], "set")
	}
	d.settings(c, 1)
}

// checkForetold checks that a foretold f(t) is the only one, and that all schedulers use it.
func (d *decoder) checkForetold(s *Scenario) {
	for _, c := range s.CoTenants {
		if !c.Foretold {
			continue
		}
		if len(s.CoTenants) > 1 || s.Pool != nil {
			d.bad(c.line, "co-tenants: foretold needs a cluster, and no other co-tenants")
		}
		for _, name := range s.Schedulers {
			if name != "adaptive" && name != "reverse-adaptive" && name != "minmiss" {
				d.bad(c.line, "co-tenants: foretold has no effect on the scheduler %s: use adaptive, reverse-adaptive or minmiss",
					name)
			}
		}
	}
}

// checkAfter checks the part that w follows, which must be one of the earlier parts.
func (d *decoder) checkAfter(s *Scenario, w *Work, earlier map[string]bool) {
	if w.After == "" {
		return
	}
	if !earlier[w.After] {
		d.bad(w.line, "workload: %s: after: no earlier part is named %q", w.Name, w.After)
		return
	}
	at := slices.IndexFunc(s.Work, func(o Work) bool { return o.Name == w.After })
	if s.Work[at].Cluster != w.Cluster {
		d.bad(w.line, "workload: %s: after: %s runs on another MR-cluster", w.Name, w.After)
	}
}

// settings checks the values of settings.
func (d *decoder) settings(c *conf.Config, line int) {
	for _, w := range c.Unknown() {
		d.bad(line, "%s", w)
	}
	if err := c.CheckRanges("mapred", "howdah.", "io.", "dfs.", "hadoop."); err != nil {
		d.bad(line, "set: %v", err)
	}
}

// checkPlace checks the MR-cluster of a part of the workload.
func (d *decoder) checkPlace(s *Scenario, w *Work) {
	switch {
	case s.Pool == nil && w.Cluster != "":
		d.bad(w.line, "workload: %s: cluster has no effect without a pool", w.Name)
	case s.Pool == nil:
	case w.Cluster == "":
		d.bad(w.line, "workload: %s: cluster is missing: it names the MR-cluster", w.Name)
	case !slices.ContainsFunc(s.Pool.Clusters, func(c MRCluster) bool { return c.Name == w.Cluster }):
		d.bad(w.line, "workload: %s: the pool has no cluster %q", w.Name, w.Cluster)
	}
}

// Path returns the path of a file that the scenario names.
func (s *Scenario) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(s.File), file)
}
