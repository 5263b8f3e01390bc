package faw

import (
	"math/rand/v2"

	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Hours that the workloads of section 7.3 go on; the paper does not say.
const Hours = 4

const hour = 3_600_000

// WKLDD is WKLD-D (table 2): WordCount and Sort, 165 small jobs on c-1 and 555 on c-3 at an even rate, 188 of all sizes on c-2, where the
// medium and large ones come in bursts.
func WKLDD(m Model, seed uint64) []fawkes.Workload {
	mk := func(i uint64) *Maker { return &Maker{Model: m, Apps: []App{WC, ST}, Seed: seed*16 + i} }
	return []fawkes.Workload{
		Cluster("c-1", 0, mk(1).Average("c-1", 165, Sizes[0], Hours*hour)),
		Cluster("c-2", 0, mk(2).Bursts("c-2", [3]int{158, 20, 10}, 4, Hours*hour)),
		Cluster("c-3", 0, mk(3).Average("c-3", 555, Sizes[0], Hours*hour)),
	}
}

// WKLDE is WKLD-E: 359 jobs of all sizes on c-1, the 26 jobs of BTWorld one after the other on c-2, 559 small ones on c-3.
func WKLDE(m Model, seed uint64, refs *References) []fawkes.Workload {
	mk := func(i uint64) *Maker { return &Maker{Model: m, Apps: []App{WC, ST}, Seed: seed*16 + i} }
	bt := &Maker{Model: m, Apps: []App{TT, {AH.stage(0), AH.Stages[:1]}, {AH.stage(1), AH.Stages[1:]}}, Seed: seed*16 + 5}
	return []fawkes.Workload{
		Cluster("c-1", 0, mk(4).Mixed("c-1", [3]int{309, 35, 15}, Hours*hour)),
		Cluster("c-2", 0, bt.Sequence("c-2", 26, refs)),
		Cluster("c-3", 0, mk(6).Average("c-3", 559, Sizes[0], Hours*hour)),
	}
}

// Bursts gives small jobs that come at random over a time, and so many bursts of the others.
func (m *Maker) Bursts(cluster string, n [3]int, bursts int, over int64) []*trace.Job {
	r := rand.New(rand.NewPCG(m.Seed, 0xb57))
	small := arrivals(r, n[0], over)
	var large []*trace.Job
	for b := range bursts {
		at := over * int64(2*b+1) / int64(2*bursts)
		for size := 1; size < 3; size++ {
			for range n[size]*(b+1)/bursts - n[size]*b/bursts {
				large = append(large, m.Make(cluster, Sizes[size], at+r.Int64N(120_000)))
			}
		}
	}
	for _, at := range small {
		large = append(large, m.Make(cluster, Sizes[0], at))
	}
	return inOrder(large)
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
