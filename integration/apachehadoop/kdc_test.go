//go:build integration

package apachehadoop

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A KDC issues keys and tickets, and stops.
func TestKDC(t *testing.T) {
	if err := KDCAvailable(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	k, err := StartKDC(ctx, filepath.Join(t.TempDir(), "kdc"))
	require.NoError(t, err)
	defer k.Stop()
	keytab, err := k.Keytab(ctx, "alice", []string{"alice"})
	require.NoError(t, err)
	cache, err := k.Login(ctx, "alice", keytab, "alice", "-l", "60s")
	require.NoError(t, err)
	require.FileExists(t, cache)
	k.Stop()
	_, err = k.Login(ctx, "late", keytab, "alice")
	require.Error(t, err)
	_, err = os.Stat(keytab)
	require.NoError(t, err)
}
