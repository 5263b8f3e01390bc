package whatif

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// busy returns the state of a cluster with 100 TaskTrackers and the given number of jobs, all of
// whose slots are in use.
func busy(jobs int) *State {
	r := rand.New(rand.NewPCG(1, 2))
	s := &State{Format: Format, Now: start, Scheduler: Scheduler{Name: "fair"}}
	for range 100 {
		s.Trackers = append(s.Trackers, Tracker{Slots: [2]int32{4, 2}})
	}
	for i := range jobs {
		j := Job{ID: fmt.Sprint("job_", i), User: fmt.Sprint("u", i%20), Queue: "default", Submit: start - 600_000 + int64(i),
			SlowStart: 50_000, Tasks: [2]int32{1 + int32(r.ExpFloat64()*18), int32(r.ExpFloat64() * 4)}}
		for range min(20, j.Tasks[0]/3) {
			j.Seen.Map = append(j.Seen.Map, 10_000+r.Int64N(20_000))
			j.Done[0]++
		}
		if j.Start = start - 500_000; i < 400 && j.Done[0] < j.Tasks[0] {
			j.Running = append(j.Running, Attempt{Tracker: int32(i / 4), Start: start - r.Int64N(30_000),
				Progress: r.Int32N(million)})
		}
		if i%3 == 0 {
			j.Deadline = start + r.Int64N(3_600_000)
		}
		if j.Tasks[1] > 0 {
			j.Profile = "first=3000/5000,typical=5000/9000,reduce=8000/14000"
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// A prediction for 1,000 jobs must take less than 5 s in howdah sim what-if.
func BenchmarkThousandJobs(b *testing.B) {
	s := busy(1000)
	require.NoError(b, s.check())
	tasks := 0
	for i := range s.Jobs {
		tasks += int(s.Jobs[i].Tasks[job.Map] + s.Jobs[i].Tasks[job.Reduce] - s.Jobs[i].Done[0])
	}
	for _, within := range []time.Duration{0, 4 * time.Second} {
		b.Run(fmt.Sprint("within ", within), func(b *testing.B) {
			for b.Loop() {
				f, err := Predict(b.Context(), s, Options{Within: within, Workers: 2})
				require.NoError(b, err)
				b.ReportMetric(float64(tasks), "tasks")
				b.ReportMetric(float64(len(f.Policies[0].Finish)), "runs")
				b.ReportMetric(float64(len(f.Policies)), "policies")
			}
		})
	}
}
