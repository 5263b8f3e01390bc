package tasklevel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// A policy that says that it ignores profiles decides the same with and without them.
func TestProfilesChangeNothingForPoliciesThatIgnoreThem(t *testing.T) {
	jobs, err := generate.Collect("testbed", generate.Deadlines(generate.TestbedLike(60, nil, 1), 1, 3, 1,
		func(*trace.Job) int64 { return 300_000 }))
	require.NoError(t, err)
	tested := 0
	for _, name := range catalog.Builtin().Names() {
		hash := func(sample func(scheduler.View)) string {
			p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
			require.NoError(t, err)
			i, ok := p.(scheduler.ProfileIgnorer)
			if !ok || !i.IgnoresProfiles() || scheduler.UsesContainers(p) {
				return ""
			}
			tested++
			r, err := tasklevel.Run(context.Background(), tasklevel.Config{Slots: [2]int32{16, 16}, Trackers: 8, Policy: p,
				Sample: sample}, jobs.Source())
			require.NoError(t, err)
			return r.Hash
		}
		require.Equal(t, hash(func(scheduler.View) {}), hash(nil), name)
	}
	require.Positive(t, tested)
}

// spy records whether the jobs have profiles.
type spy struct {
	scheduler.Policy
	ignores  bool
	profiles int
}

func (s *spy) IgnoresProfiles() bool { return s.ignores }

func (s *spy) Observe(v scheduler.View, e *event.Event) {
	if e.Type == event.JobStarted {
		if _, ok := v.Job(e.Job).Spec.Get(conf.JobProfile.Name); ok {
			s.profiles++
		}
	}
	s.Policy.Observe(v, e)
}

func TestProfilesAreForThoseWhoReadThem(t *testing.T) {
	j := &trace.Job{ID: "j", Submit: 5, Maps: []trace.Map{{Time: 10}}}
	profiles := func(ignores bool, sample func(scheduler.View)) int {
		s := &spy{Policy: newFIFO(t), ignores: ignores}
		run(t, tasklevel.Config{Slots: [2]int32{1, 1}, Policy: s, Sample: sample}, j)
		return s.profiles
	}
	require.Equal(t, 0, profiles(true, nil))
	require.Equal(t, 1, profiles(false, nil))
	require.Equal(t, 1, profiles(true, func(scheduler.View) {}))
}
