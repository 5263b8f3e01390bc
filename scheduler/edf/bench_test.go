package edf

import (
	"math/rand/v2"
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// loaded returns the options of the benchmark. Every job has a deadline. If profile is empty, jobs
// have no profile, and the policy learns.
func loaded(p func() scheduler.Policy, profile string) policytest.Options {
	return policytest.Options{New: p, Job: func(r *rand.Rand, s *job.Spec) {
		s.Deadline = 10_000_000 + r.Int64N(1_000_000_000)
		if profile != "" {
			policytest.Set(s, conf.JobProfile.Name, profile)
		}
	}}
}

var measured = []struct {
	name    string
	new     scheduler.New
	profile string
	conf    []string
}{
	{"maxedf", NewMaxEDF, "map=5000/9000,reduce=5000/9000", nil},
	{"minedf", NewMinEDF, "map=5000/9000,reduce=5000/9000", nil},
	{"minedf resize", NewMinEDF, "map=5000/9000,reduce=5000/9000", []string{conf.EDFResize.Name, "true"}},
	{"minedf-wc learning", NewMinEDFWC, "", nil},
}

func TestNoGarbage(t *testing.T) {
	for _, c := range measured {
		t.Run(c.name, func(t *testing.T) {
			policytest.Cost(t, loaded(func() scheduler.Policy { return buildWith(t, c.new, c.conf...) }, c.profile))
		})
	}
}

func BenchmarkBeat(b *testing.B) {
	for _, c := range measured {
		b.Run(c.name, func(b *testing.B) {
			policytest.Bench(b, loaded(func() scheduler.Policy { return buildWith(b, c.new, c.conf...) }, c.profile))
		})
	}
}
