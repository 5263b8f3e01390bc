//go:build integration

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/simulator/trace/codec"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// A policy decides the same while its cycles are measured, and only some policies have cycles.
func TestMeasuredPolicies(t *testing.T) {
	in := filepath.Join(t.TempDir(), "trace")
	f, err := os.Create(in)
	require.NoError(t, err)
	require.NoError(t, codec.Write(f, codec.Header{Name: "t"}, generate.TestbedLike(6, nil, 1)))
	require.NoError(t, f.Close())
	for _, name := range catalog.Builtin().Names() {
		s, watched := simulated{name, 5}, &cycles{}
		want, err := s.simulate(t.Context(), in, func(p scheduler.Policy) scheduler.Policy { return p })
		require.NoError(t, err, name)
		got, err := s.simulate(t.Context(), in, func(p scheduler.Policy) scheduler.Policy {
			watched.Policy = p
			_, watched.updates = p.(*fair.Deficit)
			return watched
		})
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
		switch name {
		case "fifo", "capacity", "drf":
			require.Zero(t, watched.total, name)
		case "adaptive", "minmiss", "fair-deficit":
			require.NotZero(t, watched.total, name)
		}
	}
}
