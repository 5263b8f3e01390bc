package hdfs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/job/failure"
)

// TestAppendLeavesEncodedFilesAlone checks that we do not append to encrypted and erasure-coded
// files. The NameNode allows it, but plain bytes would corrupt them.
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

// TestEncryptionZoneIsNamed checks the error for a new file in an encryption zone. The NameNode's
// own error only mentions protocol versions.
func TestEncryptionZoneIsNamed(t *testing.T) {
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		f.Cluster.NameNode.Before = func(c hdfstest.Call) (*rpc.RemoteError, bool, bool) {
			return &rpc.RemoteError{Class: "org.apache.hadoop.hdfs.UnknownCryptoProtocolVersionException",
				Message: "No crypto protocol versions"}, false, false
		}
		_, err := f.Create(t.Context(), "/f", dfs.CreateOptions{})
		require.True(t, failure.Is(err, failure.Usage), "%v", err)
		require.ErrorContains(t, err, "encryption zone")
	})
}
