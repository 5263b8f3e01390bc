//go:build integration

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script creates a program that replaces howdah.
func script(t *testing.T, line string) *bench {
	dir := t.TempDir()
	file := filepath.Join(dir, "howdah")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+line+"\n"), 0o755))
	return &bench{howdah: file, dir: dir, runs: 2, limit: time.Minute}
}

func works(work ...float64) *series {
	return &series{name: "series", unit: "unit", work: work, input: func(_ context.Context, in string, _ float64) error {
		return os.WriteFile(in, nil, 0o644)
	}, args: func(in, out string, work float64) []string {
		return []string{in, out, []string{"good", "bad"}[int(work)]}
	}}
}

// A work that fails does not keep the others from being measured.
func TestFailures(t *testing.T) {
	b := script(t, `test "$3" = good && test -f "$1" && mkdir "$2"`)
	failed, err := b.measure(t.Context(), works(0, 1, 0))
	require.NoError(t, err)
	require.Equal(t, 1, failed)
	left, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "inputs and outputs are removed")
}

func TestLimit(t *testing.T) {
	b := script(t, "exec sleep 1000")
	b.limit = time.Millisecond
	_, err := b.point(t.Context(), works(0), 0)
	require.ErrorContains(t, err, "it takes more than 1ms")
}

func TestNumbers(t *testing.T) {
	got, err := numbers("0.1,4", 1e9)
	require.NoError(t, err)
	require.Equal(t, []float64{1e8, 4e9}, got)
	for _, bad := range []string{"", "1,", "0", "-1", "NaN", "Inf"} {
		_, err := numbers(bad, 1)
		require.Error(t, err, bad)
	}
}
