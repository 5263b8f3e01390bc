package simulator_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

func TestBadConfigurations(t *testing.T) {
	good := func() simulator.Config {
		return simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Policy: newFIFO(t)}
	}
	for want, spoil := range map[string]func(c *simulator.Config){
		"none is set":              func(c *simulator.Config) { c.Policy = nil },
		"want 1 to 100000":         func(c *simulator.Config) { c.Trackers = 0 },
		"of each kind":             func(c *simulator.Config) { c.Slots[0] = -1 },
		"0 ms to a day":            func(c *simulator.Config) { c.Heartbeat = -5 },
		"must be 0 or more":        func(c *simulator.Config) { c.SampleEvery = -1 },
		"memory and cores":         func(c *simulator.Config) { c.Memory = -1 },
		"expire.trackers.interval": func(c *simulator.Config) { c.Machine.Cluster, c.Machine.Expiry = "c", 1 },
	} {
		c := good()
		spoil(&c)
		_, err := simulator.Run(t.Context(), c, source(nil))
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.Config, failure.KindOf(err))
	}
	r, err := simulator.Run(t.Context(), good(), source(nil))
	require.NoError(t, err)
	require.Empty(t, r.Jobs, "an empty trace is no error")
}

type failing struct{ left int }

func (f *failing) Next() (*trace.Job, error) {
	if f.left--; f.left < 0 {
		return nil, errors.New("torn")
	}
	return &trace.Job{ID: "j", Submit: 1, Maps: []trace.Map{{Time: 10}}}, nil
}

// A run returns the error of its source or of its context, in both engines.
func TestRunsThatAreEnded(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, left := range []int{0, 1, 2} {
		_, err := simulator.Run(t.Context(), simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Policy: newFIFO(t)},
			&failing{left})
		require.EqualError(t, err, "torn")
		_, err = tasklevel.Run(t.Context(), tasklevel.Config{Slots: [2]int32{1, 1}, Policy: newFIFO(t)}, &failing{left})
		require.EqualError(t, err, "torn")
	}
	_, err := simulator.Run(gone, simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Policy: newFIFO(t)}, &failing{9})
	require.ErrorIs(t, err, context.Canceled)
	_, err = tasklevel.Run(gone, tasklevel.Config{Slots: [2]int32{1, 1}, Policy: newFIFO(t)}, &failing{9})
	require.ErrorIs(t, err, context.Canceled)
}

// A run that cannot end returns the reason: the cluster has no slots for the maps, or reduces that
// wait for maps occupy all slots that the policy assigns.
func TestRunThatCannotEnd(t *testing.T) {
	c := simulator.Config{Trackers: 1, Slots: [2]int32{0, 1}, Heartbeat: 3_000_000, Policy: newFIFO(t)}
	_, err := simulator.Run(t.Context(), c, source([]*trace.Job{maps(1, 10)}))
	require.ErrorContains(t, err, "1 job cannot end: nothing is running")
	j := maps(1, 10)
	j.Reduces = []trace.Reduce{{Time: 5}}
	j.Conf = slowStart("0")
	_, err = simulator.Run(t.Context(), c, source([]*trace.Job{j}))
	require.ErrorContains(t, err, "reduces that wait for maps occupy all slots")
}
