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

// Pool is where MR-clusters of ten core nodes each run a workload.
type Pool struct {
	Model    Model
	Nodes    int
	Interval int64   // T in ms
	Idle     int64   // ms without a job after which an MR-cluster is removed; 0 = T
	Tau      float64 // in s^2; 0 = the paper's 10
	Storage  int64   // bytes of a node; 0 = 2 TB, as section 5.1 has it
	Policy   string
	Grow     mrcluster.Kind
	Shrink   mrcluster.Preemption
	Seed     uint64
	Watch    func(fawkes.Moment)
	// Refs, if not nil, tells the policy by slowdown what jobs take on the reference MR-cluster.
	Refs *References
	// Queue and EarlyReduces are other readings of what waits.
	Queue        weight.Queue
	EarlyReduces bool
	// OutputsWait is how long a node that leaves waits for jobs that need its map outputs, in ms; 0 = a minute.
	OutputsWait int64
}

// Choices of the experiments that the paper does not tell.
const (
	CoreNodes = 10
	Storage   = 2 << 40 // bytes of a node (section 5.1)
	LoadRate  = 400     // MB/s at which an MR-cluster loads its input from external storage
	StartTime = 10_000  // ms to start a node's daemons
)

// Cluster is an MR-cluster with so many GB to load before its first job.
func Cluster(name string, gb float64, jobs []*trace.Job) fawkes.Workload {
	w := fawkes.Workload{Spec: mrcluster.Spec{Name: name, Core: CoreNodes, HDFS: true}, Jobs: jobs}
	if gb > 0 {
		w.Spec.Load = []mrcluster.Copy{{From: "external", To: "/input"}}
		w.Load = int64(gb * 1024 / LoadRate * 1000)
	}
	return w
}

// Run runs workloads.
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
	c := fawkes.Config{Nodes: p.Nodes, Slots: Slots, Manager: m, Weighting: w, Policy: FIFO, Heartbeat: Heartbeat, Start: StartTime, Storage: cmp.Or(p.Storage, Storage),
		Replication: Replication, Move: p.Model.Move, TaskTime: p.Model.Task, Watch: p.Watch, Seed: p.Seed, CountEarlyReduces: p.EarlyReduces,
		OutputsWait: p.OutputsWait}
	if p.Refs != nil {
		c.Reference = p.Refs.Of
	}
	return fawkes.Run(ctx, c, work)
}

// Move is what leaves each node that drains, in bytes a second: half of its disk, and no more than half of the disks of those that
// stay can take.
func (m Model) Move(leaving, staying int) int64 {
	half := m.Disk / 2 * (1 << 20)
	return int64(half * min(1, float64(staying)/float64(max(1, leaving))))
}

// Small, medium and large jobs, in GB of input (section 5.3).
var Sizes = [3]float64{1, 50, 100}

// Maker makes the jobs of a workload: applications of one stage in turn.
type Maker struct {
	Model Model
	Apps  []App
	Seed  uint64
	made  int
}

// Make gives one job of a size in GB.
func (m *Maker) Make(cluster string, gb float64, at int64) *trace.Job {
	a := m.Apps[m.made%len(m.Apps)]
	m.made++
	j := m.Model.Job(fmt.Sprintf("%s-%d", cluster, m.made), a.Name, a.Stages[0], gb, at)
	Vary(j, m.Seed<<20+uint64(m.made), m.Model.Sigma)
	return j
}

// Batch gives n jobs that come at once.
func (m *Maker) Batch(cluster string, n int, gb float64, at int64) (out []*trace.Job) {
	for range n {
		out = append(out, m.Make(cluster, gb, at))
	}
	return out
}

// Average gives n jobs that come at random over a time.
func (m *Maker) Average(cluster string, n int, gb float64, over int64) (out []*trace.Job) {
	r := rand.New(rand.NewPCG(m.Seed, 0xa7e))
	for _, at := range arrivals(r, n, over) {
		out = append(out, m.Make(cluster, gb, at))
	}
	return out
}

// inOrder sorts jobs by submission.
func inOrder(jobs []*trace.Job) []*trace.Job {
	slices.SortStableFunc(jobs, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

// arrivals draws n times over a time, in order.
func arrivals(r *rand.Rand, n int, over int64) []int64 {
	at := make([]int64, n)
	for i := range at {
		at[i] = r.Int64N(over)
	}
	slices.Sort(at)
	return at
}

// Reconfigurations counts those by weight until the last job ended.
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

// Slowdown is the mean over jobs of the response time by the time on the reference MR-cluster.
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
