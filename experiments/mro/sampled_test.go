package mro

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBetween(t *testing.T) {
	s := &sampled{at: []int64{0, 10, 20, 30, 40}, cpu: []time.Duration{1, 2, 4, 8, 16}, memory: []int64{100, 1, 2, 3, 100}}
	cpu, memory := s.between(5, 30)
	require.Equal(t, time.Duration(6), cpu)
	require.InDelta(t, 2, memory, 1e-9)
	_, memory = s.between(41, 50)
	require.Zero(t, memory)
}
