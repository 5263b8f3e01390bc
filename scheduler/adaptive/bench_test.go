package adaptive

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

func BenchmarkBeat(b *testing.B) {
	for _, f := range family {
		b.Run(f.name, func(b *testing.B) {
			policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return fresh(b, f.new, f.set) }, Job: goals,
				Tracker: room})
		})
	}
}

// BenchmarkCycle measures a whole placement cycle with 1,000 jobs on 1,000 trackers with 4 map
// slots and 2 reduce slots each. step-us is the length of a cycle's longest step in µs, as the
// median over all cycles, so that a single fast or interrupted cycle has no influence.
func BenchmarkCycle(b *testing.B) {
	for _, f := range family {
		b.Run(f.name, func(b *testing.B) {
			p := fresh(b, f.new, f.set)
			h := policytest.NewHand(b, p)
			for i := range 1000 {
				h.Join(fmt.Sprint("tt", i), fmt.Sprint("h", i), "/r", 4, 2)
			}
			for i := range 1000 {
				s := policytest.Job("u", int32(1+i%200), int32(i%20),
					job.Property{Name: "howdah.job.profile", Value: "map=60000/90000,reduce=30000/40000"},
					job.Property{Name: "howdah.job.demand.map.cpu", Value: fmt.Sprint(1 + i%3)})
				s.Deadline = h.Now() + int64(i)*7919%7_200_000 + 60_000
				if i%50 == 0 {
					s.Deadline = 0
				}
				h.Submit(s)
			}
			for t := range int32(1000) {
				h.Beat(t + 1)
			}
			var dearest []time.Duration
			steps := 0
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				most := time.Duration(0)
				p.placement.enter(idle)
				for steps = 0; steps == 0 || p.placement.stage != idle; steps++ {
					start := time.Now()
					p.Tick(h, h)
					most = max(most, time.Since(start))
				}
				dearest = append(dearest, most)
			}
			slices.Sort(dearest)
			b.ReportMetric(float64(dearest[len(dearest)/2].Nanoseconds())/1000, "step-us")
			b.ReportMetric(float64(steps), "steps")
		})
	}
}

func TestNoGarbage(t *testing.T) {
	for _, f := range family {
		t.Run(f.name, func(t *testing.T) {
			policytest.Cost(t, policytest.Options{New: func() scheduler.Policy { return fresh(t, f.new, f.set) }, Job: goals,
				Tracker: room})
		})
	}
}
