package experiments

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/registered"
	"github.com/howdah/howdah/job/failure"
)

// long lists experiments that take minutes even with --quick. The tests of their packages cover
// their parts.
var long = []string{"SIM-6", "SIM-7", "RA-2", "RA-3", "RA-4", "RA-!", "FAW-8", "FAW-9", "ALL-1"}

// timed lists experiments that measure wall-clock time. Such times mean nothing on a busy machine, so
// the test does not check their verdicts.
var timed = []string{"SIM-5", "MRO-6", "MRO-why"}

// instant lists the experiments that also run with -short.
var instant = []string{"SIM-1", "SIM-2", "SIM-4", "RA-1", "MRO-1", "MRO-1b", "MRO-2", "MRO-3", "MRO-4",
	"MRO-5", "MRO-6"}

// TestRelations checks that quick runs evaluate all registered relations, and that none has the
// verdict FAILS.
func TestRelations(t *testing.T) {
	for _, e := range All() {
		if slices.Contains(long, e.ID) {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			if testing.Short() && !slices.Contains(instant, e.ID) {
				t.Skip("takes seconds")
			}
			t.Parallel()
			g, err := registered.Of(e.ID)
			require.NoError(t, err)
			r, err := lab.Execute(t.Context(), e, g, lab.Options{Quick: true, Workers: 2})
			require.NoError(t, err)
			var text bytes.Buffer
			r.Print(&text)
			t.Log(text.String())
			require.Empty(t, r.Error)
			require.Len(t, r.Relations, len(g.Sim.Relations))
			if !slices.Contains(timed, e.ID) {
				require.Zero(t, r.Count(lab.Fails))
			}
		})
	}
}

// TestRegistrations checks that every experiment and kind of run has a registration, and vice versa.
func TestRegistrations(t *testing.T) {
	files, err := filepath.Glob("registered/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(All()))
	for _, e := range All() {
		g, err := registered.Of(e.ID)
		require.NoError(t, err)
		require.Equal(t, e.Sim != nil, g.Sim != nil, e.ID)
		require.Equal(t, e.Real != nil, g.Real != nil, e.ID)
		if g.Sim == nil {
			continue
		}
		for i := range g.Sim.Relations {
			for _, name := range g.Sim.Relations[i].Explains {
				run, relation, _ := strings.Cut(name, " ")
				id, real := strings.CutSuffix(run, "-real")
				g, err := registered.Of(id)
				require.NoError(t, err)
				require.True(t, slices.ContainsFunc(g.Plan(real).Relations, func(x lab.Relation) bool { return x.ID == relation }),
					"no relation %s to explain", name)
			}
		}
	}
}

// TestStopped checks that a canceled experiment returns the context's error.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, e := range All() {
		t.Run(e.ID, func(t *testing.T) {
			require.ErrorIs(t, e.Sim(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
		})
	}
}

func TestFind(t *testing.T) {
	ids := map[string]bool{}
	for _, e := range All() {
		require.False(t, ids[e.ID], "%s is there twice", e.ID)
		ids[e.ID] = true
		require.Same(t, e, Find(e.ID))
	}
	require.Len(t, ids, 35+4) // MRO-why, SIM-why, FAW-why, and DHF-why explain effects of experiments
	require.Equal(t, "RA-1", Find("ra-1").ID)
	require.Nil(t, Find("RA-99"))
}

// TestPages checks that the published pages are those that the committed results generate, and that
// the results are from committed changes.
func TestPages(t *testing.T) {
	results, err := lab.ReadResults("results")
	if !failure.Is(err, failure.NotFound) {
		require.NoError(t, err)
	}
	for _, r := range results {
		require.NotContains(t, r.Revision, "dirty", "%s: build from committed changes and run it again", r.ID)
		require.False(t, r.Quick, r.ID)
	}
	site, err := Site("results")
	require.NoError(t, err)
	out := t.TempDir()
	require.NoError(t, site.Write(out))
	require.NoError(t, filepath.WalkDir(out, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") {
			return err
		}
		name, err := filepath.Rel(out, path)
		require.NoError(t, err)
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join("../docs/reference", name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s is out of date; run howdah experiment page", name)
		return nil
	}))
}
