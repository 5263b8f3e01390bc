package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Replay reads a truncated recording to its end. It rejects a damaged recording and names the
// position of the damage.
func TestReplayOfBadRecordings(t *testing.T) {
	b, err := inputlog.AppendStart(nil, &inputlog.Start{Config: jobtracker.DefaultConfig(), Scheduler: "fifo", Now: 1,
		Journal: history.AppendHeader(nil)})
	require.NoError(t, err)
	first := len(b)
	for now := int64(2); now < 5; now++ {
		b, err = inputlog.AppendRecord(b, &jobtracker.Input{Kind: jobtracker.InTick, Now: now})
		require.NoError(t, err)
	}
	file := filepath.Join(t.TempDir(), "inputs")
	replay := func(b []byte) (out, errOut string, err error) {
		require.NoError(t, os.WriteFile(file, b, 0o644))
		var o, e bytes.Buffer
		err = Replay(file, catalog.Builtin(), &o, &e)
		return o.String(), e.String(), err
	}

	out, errOut, err := replay(b)
	require.NoError(t, err)
	require.Contains(t, out, "inputs 3\n")
	require.Empty(t, errOut)

	out, errOut, err = replay(b[:len(b)-1])
	require.NoError(t, err)
	require.Contains(t, out, "inputs 2\n")
	require.Contains(t, errOut, "ends in the middle of an input")

	for at := first; at < len(b); at++ {
		damaged := bytes.Clone(b)
		damaged[at] ^= 1
		_, _, err = replay(damaged)
		if at >= len(b)-(len(b)-first)/3 && err == nil {
			continue // damage to the last record's length looks like truncation
		}
		require.True(t, failure.Is(err, failure.Corrupt), "byte %d: %v", at, err)
		require.Contains(t, err.Error(), file)
		require.Contains(t, err.Error(), "at byte ")
	}
}
