package loadgen

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWorker(t *testing.T) {
	t.Chdir(t.TempDir())
	var w worker
	require.NoError(t, w.do(t.Context(), Work{CPU: time.Millisecond, Memory: 3*chunk + 5, Live: 2*chunk + 1,
		Trash: chunk + 1, Write: 2*block + 1, Read: 5 * block}))
	require.Len(t, w.held, 4)
	require.Len(t, w.live, 3)
	require.EqualValues(t, 2*block+1, w.size)
	require.EqualValues(t, block-2, w.at, "it went through the file twice and read on")
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left, "the file has no name")
	require.NoError(t, w.do(t.Context(), Work{Memory: chunk}))
	require.Len(t, w.held, 1)
	require.Empty(t, w.live)
	w.close()
	require.Nil(t, w.file)
}

// TestReadsBeforeSomethingIsWritten checks that reads of an empty file wait until data is written, as
// in a profile that spreads a few bytes over many steps.
func TestReadsBeforeSomethingIsWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	var w worker
	defer w.close()
	require.NoError(t, w.do(t.Context(), Work{Read: 3}))
	require.NoError(t, w.do(t.Context(), Work{Write: 100, Read: 4}))
	require.EqualValues(t, 7, w.at)
	require.NoError(t, w.do(t.Context(), Work{Read: 5}))
	require.EqualValues(t, 12, w.at, "once")
}

func TestAKilledWorkerStopsAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	killed, kill := context.WithCancel(t.Context())
	kill()
	for _, work := range []Work{{CPU: time.Hour}, {Trash: 1 << 60}, {Wait: time.Hour}, {Write: 1 << 40}, {}} {
		var w worker
		require.ErrorIs(t, w.do(killed, work), context.Canceled)
		w.close()
	}
}
