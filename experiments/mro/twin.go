package mro

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/howdah/howdah/apps/loadgen"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/task"
)

// twin is a model of Bed, the testbed of real runs, in the simulator. The calibration fits its two
// free values to real runs without an orchestrator. See the orchestrator's PAPER.md.
type twin struct {
	// thrash is Demand.Thrash of a task that collects garbage, as a multiple of the task's time.
	thrash float64
	// extra is the CPU time, in s, that each map of loadgen uses in addition to the CPU time in its
	// profile. The process starts, and the map allocates objects.
	extra float64
}

// calibrated is the twin that agrees best with the measurements in alone and together, and twinStep
// is the resolution of the fit. A test checks the fit.
var (
	calibrated = twin{thrash: 5, extra: 0.7}
	twinStep   = twin{thrash: 0.5, extra: 0.1}
)

// collected is the size of a Go process's heap relative to its live data if the collector has enough
// memory. It follows from the collector's default, GOGC=100.
const collected = 2

// twinJob is a job of Bed. Its maps' CPU time and memory follow from the definition of the job.
type twinJob struct {
	live    float64 // MiB of live data of the average map
	uneven  float64 // -skewlive
	work    float64 // s of CPU time of the average map
	skew    float64
	seed    int64
	loadgen bool  // the profile, rather than a measurement, determines the work
	memory  int64 // MiB, for other jobs than those of loadgen
}

// twinJobs are the jobs of Bed, in the order of Bed.Jobs. The maps of PiEst and Wcount divide the CPU
// time of the whole job in alone, which includes the reduces of Wcount. These jobs have enough
// memory. Their values of 60 and 100 MiB are estimates.
var twinJobs = []twinJob{
	{live: 39, uneven: 0.8, work: 7 * 0.12, seed: 63, loadgen: true},
	{live: 63, skew: 0.1, work: 7 * 0.12, seed: 3, loadgen: true},
	{live: 38, uneven: 0.8, work: 7 * 0.2, seed: 18, loadgen: true},
	{work: alone[2].cpu() / bedMaps, memory: 60},
	{work: alone[3].cpu() / bedMaps, memory: 100},
}

// bedJobs lists all jobs of Bed.
var bedJobs = []int{0, 1, 2, 3, 4}

// bedMaps is the number of maps of each job of Bed. Each node runs one of them.
const bedMaps = 4

// measured is the mean of real runs of a job.
type measured struct {
	seconds float64 // completion time
	use     float64 // % of the testbed's CPU in use; 0 = not measured
}

// cpu returns the CPU time in s.
func (m *measured) cpu() float64 {
	return m.seconds * m.use / 100 * float64(Bed.Nodes) * float64(Bed.CPU) / 1000
}

// alone and together are the results of version 1 of MRO-1 on real nodes, at revision 3d6ac792, for
// the jobs in crowd. No orchestrator was in use.
var (
	alone    = []measured{{15.1, 53.6}, {12.3, 48.0}, {3.7, 90.8}, {2.7, 86.3}}
	together = []measured{{27.4, 0}, {27.4, 0}, {14.8, 0}, {13.9, 0}}
)

// run simulates the given jobs of Bed, which all start at the same time. If no estimator is given, the
// orchestrator only watches.
func (w twin) run(ctx context.Context, jobs []int, mapSlots int32, estimator string) (*Outcome, error) {
	p, err := policy("")
	if err != nil {
		return nil, err
	}
	t := &trace.Trace{Name: "testbed", Origin: "generated"}
	demands := map[string][]simulator.Demand{}
	for _, i := range jobs {
		j := &trace.Job{ID: fmt.Sprintf("J%d", i+1), Name: Bed.Jobs[i].Name, User: Bed.Jobs[i].Name, State: job.Succeeded}
		for n := range uint64(bedMaps) {
			seconds, d := w.task(&twinJobs[i], n)
			j.Maps = append(j.Maps, trace.Map{Time: millis(seconds)})
			demands[j.Name] = append(demands[j.Name], d)
		}
		t.Jobs = append(t.Jobs, j)
	}
	oc := orchestrator.DefaultConfig()
	oc.Estimator, oc.Control = cmp.Or(estimator, oc.Estimator), Both
	oc.Epoch, oc.Sample = bedEpoch, bedSample
	s := &simulator.Shares{Memory: Bed.Slot, Orchestrator: &oc, Watch: estimator == "",
		Capacity: orchestrator.Vector{Bed.CPU, Bed.Slot * int64(mapSlots+Bed.Slots[1])},
		Demand:   func(name string, t job.Task) simulator.Demand { return demands[name][t.Index] }}
	return simulate(ctx, simulator.Config{Trackers: Bed.Nodes, Slots: [2]int32{mapSlots, Bed.Slots[1]}, Heartbeat: 300,
		WaitForWork: true, Policy: p, Shares: s, Seed: 1}, t)
}

// task returns the time, in s, of map n of a job that is alone on a node and has enough memory, and the
// map's demand.
func (w twin) task(j *twinJob, n uint64) (seconds float64, d simulator.Demand) {
	work := j.work
	d = simulator.Demand{CPU: Bed.CPU, Memory: j.memory}
	if j.loadgen {
		factor, live := loadgen.MapFactors(j.seed, n, j.skew, j.uneven)
		work = work*factor + w.extra
		d.Memory = int64(collected*j.live*live) + task.HeapReserve>>20
		d.Thrash, d.Burn = int64(w.thrash*1e6), int64(collects.burn*1e6)
	}
	return work / (float64(Bed.CPU) / 1000), d
}

// misfit returns the root mean square of the logarithms of simulated values divided by measured ones.
// The values are the completion times in together, and the completion times and CPU times of the jobs
// of loadgen in alone.
func (w twin) misfit(ctx context.Context) (float64, error) {
	sum, n := 0.0, 0.0
	add := func(simulated, real float64) {
		x := math.Log(simulated / real)
		sum += x * x
		n++
	}
	for k, which := range crowd {
		if !twinJobs[which].loadgen {
			continue
		}
		o, err := w.run(ctx, []int{which}, 1, "")
		if err != nil {
			return 0, err
		}
		add(o.JCT[0], alone[k].seconds)
		add(o.CPU, alone[k].cpu())
	}
	o, err := w.run(ctx, crowd, int32(len(crowd)), "")
	if err != nil {
		return 0, err
	}
	for k := range crowd {
		add(o.JCT[k], together[k].seconds)
	}
	return math.Sqrt(sum / n), nil
}
