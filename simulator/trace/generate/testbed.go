package generate

import (
	"io"

	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// TestbedSlots is the number of map slots, and also of reduce slots, in SimMR's testbed. The
// testbed has 64 workers with one of each (SIM section IV-B).
const TestbedSlots = 64

// program is one of the six applications of SIM section IV-C with its three datasets. The inputs
// are from the paper. The times are assumptions, because the paper's traces were never published. A
// map reads one 64 MB block at a plausible speed for the computation on that hardware. The phases
// of a reduce grow with its data.
type program struct {
	name     string
	maps     [3]int     // number of blocks of each of the three inputs (for WikiTrends, of hourly files)
	mapTime  float64    // mean seconds of a map
	spread   float64    // coefficient of variation of map times
	shuffled [3]float64 // data between maps and reduces, in GB
	compute  float64    // mean seconds of a reduce, not counting the time to move its data
}

var programs = [...]program{
	{"WordCount", [3]int{512, 640, 688}, 42, 0.20, [3]float64{3, 4, 4.3}, 15},
	{"WikiTrends", [3]int{720, 744, 720}, 48, 0.35, [3]float64{8, 8.3, 8}, 25},
	{"Twitter", [3]int{192, 288, 400}, 26, 0.15, [3]float64{24, 36, 50}, 40},
	{"Sort", [3]int{256, 512, 1024}, 11, 0.30, [3]float64{16, 32, 64}, 5},
	{"TFIDF", [3]int{512, 640, 688}, 34, 0.25, [3]float64{6, 7.5, 8}, 30},
	{"Bayes", [3]int{512, 640, 688}, 70, 0.20, [3]float64{5, 6.2, 6.7}, 20},
}

// Data rates of one reduce in MB/s, first for fetching during the shuffle, and then for reading,
// merging, and writing.
const (
	fetchRate = 12.0
	writeRate = 9.0
)

// TestbedApplications returns the 18 job templates: each of the six applications on its three
// datasets.
func TestbedApplications() []Application {
	var list []Application
	for i := range programs {
		for d := range programs[i].maps {
			list = append(list, programs[i].template(d))
		}
	}
	return list
}

func (p *program) template(dataset int) Application {
	mb := p.shuffled[dataset] * 1024 / TestbedSlots // per reduce
	log := func(seconds, spread float64) dist.Dist { return dist.LogNormalOf(seconds*1000, seconds*1000*spread) }
	return Application{
		Name:    p.name,
		Map:     log(p.mapTime, p.spread),
		First:   log(3+mb/fetchRate/4, 0.30), // three quarters of the data was fetched while maps were still running
		Typical: log(3+mb/fetchRate, 0.30),
		Reduce:  log(p.compute+mb/writeRate, 0.25),
	}
}

// Testbed draws the 18 jobs of SimMR's validation and case study. Six applications each run on
// three datasets (SIM sections IV-C and V-B). All jobs have submission time 0; see Arrive.
func Testbed(seed uint64) []*trace.Job {
	jobs := make([]*trace.Job, 0, 3*len(programs))
	for i := range programs {
		for d := range programs[i].maps {
			n := len(jobs)
			j := programs[i].job(d, seed, n)
			place(j, n, 0)
			jobs = append(jobs, j)
		}
	}
	return jobs
}

func (p *program) job(dataset int, seed uint64, n int) *trace.Job {
	a := p.template(dataset)
	j := a.Job(p.maps[dataset], TestbedSlots, TestbedSlots, Stream(seed, "testbed", n))
	j.Input = int64(p.maps[dataset]) << 26
	j.Shuffled = int64(p.shuffled[dataset] * (1 << 30))
	j.Output = j.Shuffled
	return j
}

// TestbedLike returns a trace like the 1148 jobs of SIM section IV-E, with the six applications and
// their datasets in random order. If arrivals is nil, jobs arrive as a Poisson process in which
// 1148 jobs take about 152 hours, as in the paper's trace without inactivity.
func TestbedLike(jobs int, arrivals Arrivals, seed uint64) trace.Source {
	if arrivals == nil {
		arrivals = Poisson(152 * 3600e3 / 1148)
	}
	r, now, n, w := Stream(seed, "arrivals", 0), 0.0, 0, watch{}
	return source(func() (*trace.Job, error) {
		if n == jobs {
			return nil, io.EOF
		}
		pick := Stream(seed, "mix", n)
		j := programs[pick.IntN(len(programs))].job(pick.IntN(3), seed, n)
		now = arrivals.Next(now, r)
		place(j, n, w.submission(now))
		n++
		return j, w.err
	})
}
