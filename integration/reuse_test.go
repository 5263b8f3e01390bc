//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// TestAttemptsOfOneChild runs many maps in few processes. No map sees files of an earlier map, each
// attempt has its own logs, and only the first attempt of a process creates log files. Streaming
// creates tmp.
func TestAttemptsOfOneChild(t *testing.T) {
	const maps = 20
	in, _ := text(t, maps, 1)
	out := filepath.Join(t.TempDir(), "out")
	c := minicluster.Start(t, minicluster.Options{})
	ok(t, c.Howdah("streaming", "-D", "mapreduce.job.jvm.numtasks=-1", "-input", in, "-output", out,
		"-numReduceTasks", "0", "-mapper",
		`sh -c 'cat > /dev/null; echo "files: $(ls -A | tr -d \\n)"; touch left; mkdir -p a/b; `+
			`echo "attempt $mapreduce_task_attempt_id" >&2'`))
	require.Equal(t, strings.Repeat("files: tmp\t\n", maps), parts(t, out))

	dirs, err := filepath.Glob(c.Dir + "/logs/*/userlogs/job_*/attempt_*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	require.LessOrEqual(t, len(dirs), maps/2)
	id := filepath.Base(filepath.Dir(dirs[0]))
	for i := range maps {
		attempt := fmt.Sprintf("attempt_%s_m_%06d_0", strings.TrimPrefix(id, "job_"), i)
		logs := ok(t, c.Howdah("job", "-logs", id, attempt)).Out
		require.Equal(t, 1, strings.Count(logs, "\nattempt attempt_"), logs)
		require.Contains(t, logs, "\nattempt "+attempt+"\n")
		require.Contains(t, logs, attempt+" is done")
	}
}
