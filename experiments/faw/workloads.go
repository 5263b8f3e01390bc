package faw

import (
	"math/rand/v2"

	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Hours is the length, in hours, of the workloads in section 7.3. The paper does not state it. Over
// one hour, c-3's many small jobs keep about two fifths of its core nodes' map slots busy. The
// manager can then reconfigure because of "many small jobs submitted to c-3". Over four hours,
// these jobs hardly ever queue.
const Hours = 1

// Bursts is the number of bursts of c-2 in WKLD-D. The paper does not state the number in figure
// 8(a). It mentions "bursts with large jobs", so each burst has one large job.
const Bursts = 2

const hour = 3_600_000

// mixD and mixE are numbers of jobs by size, in the order of Sizes. The paper states the total and
// says that small jobs prevail. It also compares the MR-clusters with the highest and the lowest load
// (section 7.3). Their numbers of tasks differ by a factor of 3 in WKLD-D and 8 in WKLD-E, and c-2 has
// the highest load in WKLD-D. These facts leave hardly any choice.
var (
	mixD = [3]int{182, 4, 2}
	mixE = [3]int{309, 35, 15}
)

// scrapesE is the size, in GB, of BTWorld's scrapes in WKLD-E. The paper does not state it. With it,
// the numbers of tasks of c-1 and c-2 differ by a factor of 8.
const scrapesE = 42

// WKLDD returns WKLD-D (table 2), a mix of WordCount and Sort. c-1 gets 165 small jobs and c-3 gets
// 555, both at random times within the given hours. c-2 gets 188 jobs of all sizes in bursts.
func WKLDD(m Model, seed uint64, hours float64, bursts int) []fawkes.Workload {
	mk := func(i uint64) *Maker { return &Maker{Model: m, Apps: []App{WC, ST}, Seed: seed*16 + i} }
	over := int64(hours * hour)
	return []fawkes.Workload{
		Cluster("c-1", 0, mk(1).Average("c-1", 165, Sizes[0], over)),
		Cluster("c-2", 0, mk(2).Bursts("c-2", mixD, bursts, over)),
		Cluster("c-3", 0, mk(3).Average("c-3", 555, Sizes[0], over)),
	}
}

// WKLDE returns WKLD-E. c-1 gets 359 jobs of all sizes and c-3 gets 559 small jobs, both at random
// times within the given hours. c-2 gets the jobs of BTWorld one after another.
func WKLDE(m Model, seed uint64, hours float64, refs *References) []fawkes.Workload {
	mk := func(i uint64) *Maker { return &Maker{Model: m, Apps: []App{WC, ST}, Seed: seed*16 + i} }
	over := int64(hours * hour)
	return []fawkes.Workload{
		Cluster("c-1", 0, mk(4).Mixed("c-1", mixE, over)),
		Cluster("c-2", 0, BTWorld.Sized(scrapesE).Sequence(m, "c-2", seed*16+5, refs)),
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

// Bursts returns jobs of all sizes that arrive in the given number of bursts. over is the length of
// the period in which they arrive, in ms. n contains the numbers of jobs by size. Each burst has
// about the same share of the jobs of every size and lasts two minutes, the resolution of figure 8.
// The first job arrives at time 0, because the paper deploys all MR-clusters together (section
// 7.3).
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

// Mixed returns jobs of all sizes that arrive at random times. over is the length of the period in
// which they arrive, in ms. n contains the numbers of jobs by size.
func (m *Maker) Mixed(cluster string, n [3]int, over int64) (out []*trace.Job) {
	r := rand.New(rand.NewPCG(m.Seed, 0x317))
	for size, k := range n {
		for _, at := range arrivals(r, k, over) {
			out = append(out, m.Make(cluster, Sizes[size], at))
		}
	}
	return inOrder(out)
}
