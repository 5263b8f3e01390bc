package db

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// A damaged database gives the trace as it was stored, or an error that names the file.
func TestDamagedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	d, err := Open(t.Context(), path, true)
	require.NoError(t, err)
	jobs := generate.Testbed(3)[:4]
	_, err = d.Put(t.Context(), Trace{Name: "x"}, (&trace.Trace{Jobs: jobs}).Source(), false)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	read := func() ([]*trace.Job, error) {
		d, err := Open(t.Context(), path, false)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		x, err := d.Find(t.Context(), "x")
		if err != nil {
			return nil, err
		}
		all, err := generate.Collect("", d.Jobs(t.Context(), x))
		if err != nil {
			return nil, err
		}
		return all.Jobs, nil
	}
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = read()
	require.True(t, failure.Is(err, failure.Corrupt), "emptied: %v", err)
	seed := disktest.Seed(t)
	for i := range uint64(100) {
		what, bad := disktest.Damage(rand.New(rand.NewPCG(seed, i)), whole)
		for _, suffix := range []string{"-wal", "-shm"} {
			_ = os.Remove(path + suffix)
		}
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		got, err := read()
		if err != nil {
			require.ErrorContains(t, err, path, "%d: %s", i, what)
		} else if !reflect.DeepEqual(jobs, got) {
			t.Fatalf("%d: %s: another trace", i, what)
		}
	}
}
