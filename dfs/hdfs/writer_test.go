package hdfs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/job/failure"
)

// A NameNode lets anybody append to encrypted and erasure-coded files; plain bytes at their end would spoil them.
func TestAppendLeavesEncodedFilesAlone(t *testing.T) {
	for _, encrypted := range []bool{true, false} {
		with(t, 1, Options{}, func(t *testing.T, f *fake) {
			f.AddFile("/f", content(1000))
			f.Cluster.NameNode.Encode("/f", encrypted, !encrypted)
			_, err := f.Create(t.Context(), "/f", dfs.CreateOptions{Append: true})
			require.True(t, failure.Is(err, failure.Usage), "%v", err)
			require.Zero(t, f.Cluster.NameNode.Count("append"), "nothing was begun")
		})
	}
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		_, err := f.Create(t.Context(), "/f", dfs.CreateOptions{Append: true})
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	})
}

// What a NameNode says when a file is made in an encryption zone speaks of protocol versions.
func TestEncryptionZoneIsNamed(t *testing.T) {
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		f.Cluster.NameNode.Before = func(c hdfstest.Call) (*rpc.RemoteError, bool, bool) {
			return &rpc.RemoteError{Class: "org.apache.hadoop.hdfs.UnknownCryptoProtocolVersionException", Message: "No crypto protocol versions"}, false, false
		}
		_, err := f.Create(t.Context(), "/f", dfs.CreateOptions{})
		require.True(t, failure.Is(err, failure.Usage), "%v", err)
		require.ErrorContains(t, err, "encryption zone")
	})
}
