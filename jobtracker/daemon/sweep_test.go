package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The sweep removes shipped files that no client has submitted for a long time and keeps the
// others.
func TestShippedFilesAreSweptByAge(t *testing.T) {
	c := newCluster(t)
	c.start()
	home := filepath.Join(c.root, "mapred/staging/ann/.staging")
	for dir, age := range map[string]time.Duration{"cache/old": shippedAge + time.Hour,
		"cache/new": shippedAge - time.Hour, "programs/old": shippedAge + time.Hour, "other/old": 10 * shippedAge} {
		name := filepath.Join(home, dir)
		require.NoError(t, os.MkdirAll(name, 0o755))
		require.NoError(t, os.WriteFile(name+"/file", nil, 0o644))
		then := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(name, then, then))
	}
	require.NoError(t, c.sweepOnce(c.ctx(), time.Now().Add(-sweepAge)))
	require.Equal(t, []string{"new"}, names(t, filepath.Join(home, "cache")))
	require.Empty(t, names(t, filepath.Join(home, "programs")))
	require.Equal(t, []string{"old"}, names(t, filepath.Join(home, "other")))
	require.NoError(t, c.stop())
}
