package faw

import (
	"math/rand/v2"

	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Hours that the workloads of section 7.3 go on; the paper does not say. In one hour the many small jobs of c-3 keep two thirds of its
// core's map slots busy, so that "many small jobs submitted to c-3" can be a reason to reconfigure; in four they never queue.
const Hours = 1

// Bursts of c-2 in WKLD-D; the paper does not say how many there are in figure 8(a). It has "bursts with large jobs": one each.
const Bursts = 2

const hour = 3_600_000

// Jobs of all sizes, by Sizes. The paper says how many jobs there are and that small ones prevail. It also says that the MR-cluster with
// the highest load has 3 times the tasks of the one with the lowest in WKLD-D, and 8 times in WKLD-E (section 7.3), and that in WKLD-D c-2
// is the most loaded one: that leaves hardly a choice.
var (
	mixD = [3]int{182, 4, 2}
	mixE = [3]int{309, 35, 15}
)

// WKLDD is WKLD-D (table 2): WordCount and Sort, 165 small jobs on c-1 and 555 on c-3 at an even rate, 188 of all
// sizes on c-2 in bursts.
func WKLDD(m Model, seed uint64, hours float64, bursts int) []fawkes.Workload {
	mk := func(i uint64) *Maker { return &Maker{Model: m, Apps: []App{WC, ST}, Seed: seed*16 + i} }
	over := int64(hours * hour)
	return []fawkes.Workload{
		Cluster("c-1", 0, mk(1).Average("c-1", 165, Sizes[0], over)),
		Cluster("c-2", 0, mk(2).Bursts("c-2", mixD, bursts, over)),
		Cluster("c-3", 0, mk(3).Average("c-3", 555, Sizes[0], over)),
	}
}

// WKLDE is WKLD-E: 359 jobs of all sizes on c-1, the 26 jobs of BTWorld one after the other on c-2, 559 small ones on c-3.
func WKLDE(m Model, seed uint64, hours float64, refs *References) []fawkes.Workload {
	mk := func(i uint64) *Maker { return &Maker{Model: m, Apps: []App{WC, ST}, Seed: seed*16 + i} }
	bt := &Maker{Model: m, Apps: []App{TT, {AH.stage(0), AH.Stages[:1]}, {AH.stage(1), AH.Stages[1:]}}, Seed: seed*16 + 5}
	over := int64(hours * hour)
	return []fawkes.Workload{
		Cluster("c-1", 0, mk(4).Mixed("c-1", mixE, over)),
		Cluster("c-2", 0, bt.Sequence("c-2", 26, refs)),
		Cluster("c-3", 0, mk(6).Average("c-3", 559, Sizes[0], over)),
	}
}

// Tasks counts the tasks of a workload.
func Tasks(w fawkes.Workload) (n int) {
	for _, j := range w.Jobs {
		n += len(j.Maps) + len(j.Reduces)
	}
	return n
}

// Bursts gives jobs of all sizes that come in so many bursts over a time, each with the same part of every size and within two minutes,
// the grain of figure 8. The first job comes at once, so that the MR-cluster is deployed with the others (section 7.3).
func (m *Maker) Bursts(cluster string, n [3]int, bursts int, over int64) (out []*trace.Job) {
	r := rand.New(rand.NewPCG(m.Seed, 0xb57))
	for b := range bursts {
		at := over * int64(2*b+1) / int64(2*bursts)
		for size, k := range n {
			for range k*(b+1)/bursts - k*b/bursts {
				out = append(out, m.Make(cluster, Sizes[size], at+r.Int64N(120_000)))
			}
		}
	}
	out = inOrder(out)
	out[0].Submit = 0
	return out
}

// Mixed gives jobs of all sizes that come at random over a time.
func (m *Maker) Mixed(cluster string, n [3]int, over int64) (out []*trace.Job) {
	r := rand.New(rand.NewPCG(m.Seed, 0x317))
	for size, k := range n {
		for _, at := range arrivals(r, k, over) {
			out = append(out, m.Make(cluster, Sizes[size], at))
		}
	}
	return inOrder(out)
}

// btworld are the 13 sizes of the inputs of BTWorld's jobs in GB; the paper has them in figure 2(b) only.
var btworld = [13]float64{100, 50, 30, 20, 10, 8, 5, 3, 2, 1, 0.5, 0.25, 0.125}

// Sequence gives the jobs of a workflow: each comes when the one before it would have ended on the reference MR-cluster.
func (m *Maker) Sequence(cluster string, n int, refs *References) (out []*trace.Job) {
	at := int64(0)
	for i := range n {
		j := m.Make(cluster, btworld[i%len(btworld)], at)
		out = append(out, j)
		at += refs.Of(j)
	}
	return out
}
