package serve

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// Repair first shows what a cut would lose. Only with cut, it changes the journal.
func TestRepair(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "journal-00000001.facts")
	b, err := os.ReadFile(journal(t))
	require.NoError(t, err)
	repair := func(cut bool) (string, error) {
		var out strings.Builder
		err := RepairJobTracker(dir, cut, &out)
		text := strings.ReplaceAll(out.String(), dir, "DIR")
		return regexp.MustCompile(`\d{4}-\S+T\S+`).ReplaceAllString(text, "TIME"), err
	}
	require.NoError(t, os.WriteFile(file, b, 0o600))
	out, err := repair(false)
	require.NoError(t, err)
	require.Equal(t, "the journal in DIR is not damaged\n", out)

	b[60] ^= 1 // in the second fact
	require.NoError(t, os.WriteFile(file, b, 0o600))
	out, err = repair(false)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	require.ErrorContains(t, err, "--cut")
	require.Equal(t, `journal        DIR/journal-00000001.facts
damage         read record at byte 35: its checksum is wrong, and more records follow
before it      1 fact, until TIME
from there on  128 bytes with readable facts about 1 job
  job_202611210753_0001  4 facts, ended as KILLED
`, out)
	same, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b, same)

	out, err = repair(true)
	require.NoError(t, err)
	require.Contains(t, out, "cut            the rest is now in DIR/journal-00000001.facts.torn-")
	out, err = repair(false)
	require.NoError(t, err)
	require.Contains(t, out, "is not damaged")

	require.NoError(t, os.Truncate(file, 0))
	for _, cut := range []bool{false, true} {
		_, err = repair(cut)
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
		require.ErrorContains(t, err, "restore the file from a copy")
	}
}
