package study

import (
	"fmt"
	"strings"
)

// nodes describes the nodes and slots of MROrchestrator's testbed (package mro), and three MR-clusters that share them.
const nodes = `pool:
  kind: namespaces
  nodes: 23
  maps: 5
  reduces: 5
  cores: 2
  memory: 3GB
  heartbeat: 3s
  interval: 60s
  idle: 60s
  start: 15s
  set: {howdah.mrcluster.shrink: delayed}
  clusters:
    - {name: text, core: 3}
    - {name: rank, core: 3}
    - {name: learn, core: 3}
`

// part is one of the six applications of MROrchestrator's section IV. Numbers of tasks, times, and
// resources are those of package mro, except that maps and reduces need the same resources.
type part struct {
	name, cluster, command string
	tasks, needs           string
	profile                string
	large                  bool
	load                   load
}

// load is the work of an application's tasks as numbers, for the jobs that stand for them on real
// nodes.
type load struct {
	maps, reduces       int
	mapTime, reduceTime float64 // s; that of a reduce includes its shuffle
	cpu                 float64 // cores
	memory              float64 // MB
	thrash              float64 // see the key thrash of scenarios
}

var parts = []part{
	{"wordcount", "text", "app: wordcount",
		"maps: 320, reduces: 58, map-time: 'lognormal(10.775,0.3)', shuffle-time: 'lognormal(10.146,0.3)', " +
			"reduce-time: 'lognormal(10.839,0.3)'",
		"cpu: 0.45, memory: 420MB, thrash: 5", "map=50000/110000,typical=26700/50000,reduce=53300/100000", false,
		load{320, 58, 50, 80, 0.45, 420, 5}},
	{"grep", "text", "app: grep",
		"maps: 320, reduces: 1, map-time: 'lognormal(10.446,0.3)', shuffle-time: '3300', reduce-time: '6700'",
		"cpu: 0.5, memory: 120MB, thrash: 2.9", "map=36000/80000,typical=3300/3300,reduce=6700/6700", false,
		load{320, 1, 36, 10, 0.5, 120, 2.9}},
	{"pagerank", "rank", "app: pagerank",
		"maps: 400, reduces: 115, map-time: 'lognormal(11.417,0.3)', shuffle-time: 'lognormal(10.775,0.3)', " +
			"reduce-time: 'lognormal(11.468,0.3)'",
		"cpu: 0.55, memory: 500MB, thrash: 5", "map=95000/210000,typical=50000/100000,reduce=100000/210000", true,
		load{400, 115, 95, 150, 0.55, 500, 5}},
	{"sort", "rank", "app: sort",
		"maps: 320, reduces: 115, map-time: 'lognormal(11.417,0.3)', shuffle-time: 'lognormal(11.245,0.3)', " +
			"reduce-time: 'lognormal(11.938,0.3)'",
		"cpu: 0.45, memory: 480MB, thrash: 2.9", "map=95000/210000,typical=80000/160000,reduce=160000/330000", true,
		load{320, 115, 95, 240, 0.45, 480, 2.9}},
	{"kmeans", "learn", "app: kmeans",
		"maps: 160, reduces: 115, map-time: 'lognormal(12.110,0.3)', shuffle-time: 'lognormal(10.552,0.3)', " +
			"reduce-time: 'lognormal(11.245,0.3)'",
		"cpu: 0.55, memory: 320MB, thrash: 2.9", "map=190000/420000,typical=40000/80000,reduce=80000/160000", true,
		load{160, 115, 190, 120, 0.55, 320, 2.9}},
	{"pi", "learn", "run: [pi, '115', '1000']",
		"maps: 115, reduces: 1, map-time: 'lognormal(10.595,0.05)', shuffle-time: '1700', reduce-time: '3300'",
		"cpu: 0.95, memory: 60MB", "map=40000/46000,typical=1700/1700,reduce=3300/3300", false,
		load{115, 1, 40, 5, 0.95, 60, 0}},
}

// workload is one way in which the applications arrive.
type workload struct {
	name, title string
	arrive      func(p *part) string // keys of the part
	deadline    func(p *part) string
}

func byLength(short, long string) func(*part) string {
	return func(p *part) string {
		if p.large {
			return long
		}
		return short
	}
}

// workloads lists the three workloads. All six applications together need about 2900 s of all nodes.
var workloads = []workload{
	{"batch", "All six applications at once", func(*part) string { return "at: 0s" }, byLength("1500s", "2200s")},
	{"bursts", "One MR-cluster after another is busy", func(p *part) string {
		return map[string]string{"text": "at: [0s, 7200s]", "rank": "at: [2400s, 9600s]",
			"learn": "at: [4800s, 12000s]"}[p.cluster]
	}, byLength("900s", "1500s")},
	{"stream", "Random arrivals", func(*part) string { return "count: 5, gaps: 'exponential(4140000)'" },
		byLength("1000s", "1500s")},
}

// scenario returns the scenario of the workload on the MR-clusters.
func (w *workload) scenario() string {
	return w.text(nodes, func(p *part) string {
		return fmt.Sprintf("%s, tasks: {%s}, %s, set: {howdah.job.profile: '%s'}, %s, deadline: %s", p.command, p.tasks,
			p.needs, p.profile, w.arrive(p), w.deadline(p))
	})
}

// text returns a scenario of the workload. keys returns the keys of a part in it.
func (w *workload) text(nodes string, keys func(*part) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "scenario: %s\n%sscheduler: [%s]\norchestrator: [off, on]\nworkload:\n", w.name, nodes,
		strings.Join(schedulers, ", "))
	for i := range parts {
		p := &parts[i]
		fmt.Fprintf(&b, "  - {name: %s, cluster: %s, %s}\n", p.name, p.cluster, keys(p))
	}
	return b.String()
}
