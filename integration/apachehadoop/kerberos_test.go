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

// A secured HDFS starts, takes a user who has a ticket and refuses one who has none.
func TestSecuredHDFS(t *testing.T) {
	for _, err := range []error{Available(), KDCAvailable()} {
		if err != nil {
			t.Skip(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	k, err := StartKDC(ctx, filepath.Join(dir, "kdc"))
	require.NoError(t, err)
	defer k.Stop()
	c, err := Start(ctx, filepath.Join(dir, "cluster"), Options{Kerberos: &Kerberos{KDC: k, RPC: "privacy", Data: "privacy", Encrypt: true}})
	require.NoError(t, err)
	defer c.Stop()

	cache, err := k.Login(ctx, "nn", c.Keytab(), NameNodePrincipal)
	require.NoError(t, err)
	input := filepath.Join(dir, "in.txt")
	require.NoError(t, os.WriteFile(input, []byte("a b\n"), 0o644))
	_, err = c.RunAs(ctx, cache, Shell, "-put", input, "/in.txt")
	require.NoError(t, err)
	got, err := c.RunAs(ctx, cache, Shell, "-cat", "/in.txt")
	require.NoError(t, err)
	require.Equal(t, "a b\n", string(got))
	_, err = c.RunAs(ctx, filepath.Join(dir, "none"), Shell, "-cat", "/in.txt")
	require.ErrorContains(t, err, "AccessControlException")
}
