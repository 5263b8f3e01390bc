package faw

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// Pool is a simulated pool of nodes, which MR-clusters share.
type Pool struct {
	Model    Model
	Nodes    int
	Interval int64   // T in ms
	Idle     int64   // time without a job, in ms, after which an MR-cluster is removed; 0 means T
	Tau      float64 // in s^2; 0 means the paper's 10
	Storage  int64   // of a node, in bytes; 0 means 2 TB, as in section 5.1
	Policy   string
	Grow     mrcluster.Kind
	Shrink   mrcluster.Preemption
	Seed     uint64
	Watch    func(fawkes.Moment)
	// Refs, if not nil, contains the times of jobs on the reference MR-cluster, for the slowdown
	// policy.
	Refs *References
	// Queue and EarlyReduces select which tasks count as waiting. EarlyReduces also counts reduces
	// that cannot start yet.
	Queue        weight.Queue
	EarlyReduces bool
	// OutputsWait is the maximum time, in ms, that a departing node waits for jobs that need its
	// map outputs. 0 means one minute.
	OutputsWait int64
}

// Sizes, rates, and times of a pool. The paper does not state LoadRate and StartTime.
const (
	CoreNodes = 10
	Storage   = 2 << 40 // bytes of a node (section 5.1)
	LoadRate  = 400     // speed at which an MR-cluster loads input from external storage, in MB/s
	StartTime = 10_000  // time to start a node's daemons, in ms
)

// Cluster returns an MR-cluster of CoreNodes core nodes that loads gb GB of input before its first
// job.
func Cluster(name string, gb float64, jobs []*trace.Job) fawkes.Workload {
	w := fawkes.Workload{Spec: mrcluster.Spec{Name: name, Core: CoreNodes, HDFS: true}, Jobs: jobs}
	if gb > 0 {
		w.Spec.Load = []mrcluster.Copy{{From: "external", To: "/input"}}
		w.Load = int64(gb * 1024 / LoadRate * 1000)
	}
	return w
}

// Run simulates workloads, one for each MR-cluster.
func (p Pool) Run(ctx context.Context, work []fawkes.Workload) (*fawkes.Result, error) {
	o := weight.Defaults()
	o.Queue = p.Queue
	w, err := weight.New(p.Policy, o)
	if err != nil {
		return nil, err
	}
	m := mrcluster.DefaultConfig()
	m.Interval, m.IdleAfter, m.Grow, m.Shrink = p.Interval, p.Idle, p.Grow, p.Shrink
	m.Threshold = cmp.Or(p.Tau, m.Threshold)
	c := fawkes.Config{Nodes: p.Nodes, Slots: Slots, Manager: m, Weighting: w, Policy: FIFO, Heartbeat: Heartbeat,
		Start: StartTime, Storage: cmp.Or(p.Storage, Storage),
		Replication: Replication, Move: p.Model.Move, TaskTime: p.Model.Task, Watch: p.Watch, Seed: p.Seed,
		CountEarlyReduces: p.EarlyReduces,
		OutputsWait:       p.OutputsWait}
	if p.Refs != nil {
		c.Reference = p.Refs.Of
	}
	return fawkes.Run(ctx, c, work)
}

// Move returns the rate, in bytes per second, at which each of the leaving nodes sends its data.
// The rate is at most half of the node's own disk speed. All leaving nodes together send at most
// half of the disk speeds of the staying nodes.
func (m Model) Move(leaving, staying int) int64 {
	half := m.Disk / 2 * (1 << 20)
	return int64(half * min(1, float64(staying)/float64(max(1, leaving))))
}

// Sizes are the input sizes of small, medium, and large jobs in GB (section 5.3).
var Sizes = [3]float64{1, 50, 100}

// Maker creates the jobs of a workload. It cycles through the applications, which have one stage each.
type Maker struct {
	Model Model
	Apps  []App
	Seed  uint64
	made  int
}

// Make returns a job with gb GB of input.
func (m *Maker) Make(cluster string, gb float64, at int64) *trace.Job {
	a := m.Apps[m.made%len(m.Apps)]
	m.made++
	j := m.Model.Job(fmt.Sprintf("%s-%d", cluster, m.made), a.Name, a.Stages[0], gb, at)
	Vary(j, m.Seed<<20+uint64(m.made), m.Model.Sigma)
	return j
}

// Batch returns n jobs that arrive at the same time.
func (m *Maker) Batch(cluster string, n int, gb float64, at int64) (out []*trace.Job) {
	for range n {
		out = append(out, m.Make(cluster, gb, at))
	}
	return out
}

// Average returns n jobs with gb GB of input each, which arrive at random times. over is the length
// of the period in which they arrive, in ms.
func (m *Maker) Average(cluster string, n int, gb float64, over int64) (out []*trace.Job) {
	r := rand.New(rand.NewPCG(m.Seed, 0xa7e))
	for _, at := range arrivals(r, n, over) {
		out = append(out, m.Make(cluster, gb, at))
	}
	return out
}

// inOrder sorts jobs by submission time, in place, and returns jobs.
func inOrder(jobs []*trace.Job) []*trace.Job {
	slices.SortStableFunc(jobs, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

// arrivals returns n random times in ascending order, from 0 to over-1 ms.
func arrivals(r *rand.Rand, n int, over int64) []int64 {
	at := make([]int64, n)
	for i := range at {
		at[i] = r.Int64N(over)
	}
	slices.Sort(at)
	return at
}

// Reconfigurations returns the number of times that the manager reconfigured MR-clusters by weight,
// up to the end of the last job.
func Reconfigurations(res *fawkes.Result) int {
	last, n := int64(0), 0
	for _, d := range res.Clusters {
		for i := range d.Jobs {
			last = max(last, d.Jobs[i].Finish)
		}
	}
	for i := range res.Facts {
		if f := &res.Facts[i]; f.Kind == mrcluster.Reconfigured && f.Time-replay.Epoch <= last {
			n++
		}
	}
	return n
}

// Slowdown returns the mean slowdown of the jobs. A job's slowdown is its response time divided by
// its time on the reference MR-cluster.
func Slowdown(d fawkes.Done, work fawkes.Workload, refs *References) float64 {
	by := map[string]*trace.Job{}
	for _, j := range work.Jobs {
		by[j.ID] = j
	}
	sum := 0.0
	for i := range d.Jobs {
		r := &d.Jobs[i]
		sum += float64(r.Finish-r.Submit) / float64(max(1, refs.Of(by[r.ID])))
	}
	return sum / float64(max(1, len(d.Jobs)))
}
