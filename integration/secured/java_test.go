//go:build integration

package secured

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/integration/apachehadoop"
)

func metaMode(mode uint32) dfs.Meta { return dfs.Meta{Mode: &mode} }

// Hadoop and howdah can use each other's token files.
func TestCredentialsOfJava(t *testing.T) {
	ctx := needs(t)
	as(t, "alice")
	dir := t.TempDir()
	theirs, ours := filepath.Join(dir, "theirs"), filepath.Join(dir, "ours")
	alice := openAs(t, security.Options{})
	put(t, ctx, alice, "/user/alice/shared", "text")

	// TestMain sets a short token lifetime, but this test uses its tokens within seconds.
	_, err := cluster.RunAs(ctx, caches["alice"], "org.apache.hadoop.hdfs.tools.DelegationTokenFetcher",
		"--renewer", "alice", theirs)
	require.NoError(t, err)
	creds, err := token.ReadFile(theirs)
	require.NoError(t, err)
	require.Len(t, creds.Tokens, 1)
	t.Setenv(kerberos.CacheEnv, "FILE:/nowhere")
	require.Equal(t, "text", get(t, ctx, openAs(t, security.Options{Tokens: creds, TokensOnly: true}),
		"/user/alice/shared"))
	b, err := os.ReadFile(theirs)
	require.NoError(t, err)
	require.Equal(t, b, creds.Encode(), "the same bytes")

	// Hadoop can also write token files in the protobuf format.
	proto := filepath.Join(dir, "proto")
	_, err = cluster.RunAs(ctx, caches["alice"], "org.apache.hadoop.security.token.DtUtilShell", "get", cluster.URI(),
		"-format", "protobuf", "-renewer", "alice", proto)
	require.NoError(t, err)
	creds, err = token.ReadFile(proto)
	require.NoError(t, err)
	require.Len(t, creds.Tokens, 1)
	require.Equal(t, "text", get(t, ctx, openAs(t, security.Options{Tokens: creds, TokensOnly: true}),
		"/user/alice/shared"))

	as(t, "alice")
	mine := &token.Credentials{Secrets: map[string][]byte{"my.secret": []byte("x")}}
	fetched, err := openAs(t, security.Options{}).Delegate(ctx, "alice", mine)
	require.NoError(t, err)
	require.True(t, fetched)
	require.NoError(t, mine.WriteFile(ours))
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	t.Setenv(token.FileEnv, ours)
	out, err := cluster.RunAs(limited, "/nowhere", apachehadoop.Shell, "-cat", "/user/alice/shared")
	require.NoError(t, err)
	require.Equal(t, "text", string(out))
	// Hadoop's own tool can also read the complete file.
	out, err = cluster.RunAs(limited, "/nowhere", "org.apache.hadoop.hdfs.tools.DelegationTokenFetcher", "--print", ours)
	require.NoError(t, err)
	require.Contains(t, string(out), "alice")
}
