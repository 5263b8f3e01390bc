package experiments

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// long lists experiments that take minutes even with --quick. The tests of their packages cover
// their parts.
var long = []string{"SIM-6", "SIM-7", "RA-2", "RA-3", "RA-4", "RA-!", "FAW-8", "FAW-9"}

// timed maps experiments that measure wall-clock time to their number of relations. Such times mean
// nothing on a busy machine, so the test does not check whether these relations hold.
var timed = map[string]int{"SIM-5": 3, "MRO-6": 6}

// instant lists the experiments that also run with -short.
var instant = []string{"SIM-1", "SIM-2", "SIM-3", "SIM-4", "RA-1", "MRO-1", "MRO-1b", "MRO-2", "MRO-3", "MRO-4",
	"MRO-5", "MRO-6"}

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
			// RA-1 is fast, so the test does not shorten it.
			rep, err := lab.Execute(t.Context(), e, lab.Options{Quick: e.ID != "RA-1", Workers: 2})
			require.NoError(t, err)
			var text bytes.Buffer
			rep.Print(&text)
			t.Log(text.String())
			require.Empty(t, rep.Error)
			if n := timed[e.ID]; n > 0 {
				require.Len(t, rep.Relations, n)
				return
			}
			require.True(t, rep.Holds())
			if e.ID == "RA-1" {
				require.Len(t, rep.Relations, 3)
				require.Empty(t, rep.Findings)
			}
		})
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
	require.Len(t, ids, 33)
	require.Equal(t, "RA-1", Find("ra-1").ID)
	require.Nil(t, Find("RA-99"))
}

// TestEarlierRunsArePublished checks that the published page contains every earlier result
// verbatim.
func TestEarlierRunsArePublished(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/experiments.md")
	require.NoError(t, err)
	for _, e := range All() {
		require.Contains(t, string(page), e.Earlier, e.ID)
	}
	require.Contains(t, Find("MRO-2").Earlier, "REGRESSION gains more than UNIFORM: by 3.6±7.8 points")
}
