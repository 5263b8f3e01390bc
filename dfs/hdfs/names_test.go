package hdfs

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/job/failure"
)

// TestOneConnection checks that concurrent calls share one connection, each with its own context.
func TestOneConnection(t *testing.T) {
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/f", content(100))
		f.Cluster.NameNode.Before = func(c hdfstest.Call) (*rpc.RemoteError, bool, bool) {
			time.Sleep(10 * time.Millisecond)
			return nil, false, false
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if i, err := f.Stat(t.Context(), "/f"); err != nil || i.Size != 100 || i.Owner != "me" {
					t.Error(i, err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, 1, f.Cluster.NameNode.Connections())
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := f.Stat(ctx, "/f")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = f.Stat(t.Context(), "/f")
		require.NoError(t, err, "a call that was given up harms no other")
	})
}

// TestExceptions checks that callers receive the NameNode's exceptions.
func TestExceptions(t *testing.T) {
	for class, kind := range map[string]failure.Kind{
		"org.apache.hadoop.security.AccessControlException":                 failure.Permission,
		"org.apache.hadoop.hdfs.protocol.NSQuotaExceededException":          failure.DiskFull,
		"org.apache.hadoop.fs.ParentNotDirectoryException":                  failure.NotFound,
		"org.apache.hadoop.hdfs.protocol.SnapshotAccessControlException":    failure.Permission,
		"org.apache.hadoop.ipc.RpcNoSuchProtocolException":                  failure.Config,
		"java.lang.NullPointerException":                                    failure.IO,
		"org.apache.hadoop.hdfs.server.namenode.UnsupportedActionException": failure.IO,
	} {
		with(t, 1, Options{}, func(t *testing.T, f *fake) {
			f.Cluster.NameNode.Before = func(c hdfstest.Call) (*rpc.RemoteError, bool, bool) {
				return &rpc.RemoteError{Class: class, Message: class + ": said so\n\tat Java"}, false, false
			}
			_, err := f.Stat(t.Context(), "/f")
			require.Equal(t, kind, failure.KindOf(err), "%s: %v", class, err)
			require.ErrorContains(t, err, "said so")
			require.NotContains(t, err.Error(), "Java")
		})
	}
}
