package hdfs

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/job/failure"
)

// TestLibraryOverOneConnection checks that the library's concurrent calls share our one connection,
// each with its own context.
func TestLibraryOverOneConnection(t *testing.T) {
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/f", content(100))
		f.Cluster.NameNode.Before = func(c hdfstest.Call) (*rpc.RemoteError, bool, bool) {
			time.Sleep(10 * time.Millisecond) // during a long call the library waits for a lock, which stops virtual time
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
		time.Sleep(10 * time.Second) // long enough for the library to renew leases, but it has none
		require.Zero(t, f.Cluster.NameNode.Count("renewLease"))
	})
}

// TestExceptionsPassTheLibrary checks that callers receive the NameNode's exceptions, however the
// library converts them.
func TestExceptionsPassTheLibrary(t *testing.T) {
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

func FuzzBridge(f *testing.F) {
	f.Add(append([]byte("hrpc\x09\x00\x00"), rpc.Frame(rpc.Header([16]byte{}, 1, 0), []byte("\x0a\x01m"), nil)...))
	nn := namenode.New(namenode.Options{Addrs: []string{"nowhere:1"}})
	nn.Close()
	f.Fuzz(func(t *testing.T, sent []byte) {
		b := &bridge{nn: nn, ctx: t.Context()}
		if _, err := b.Write(sent); err != nil || b.reply.Len() == 0 {
			return
		}
		if n := binary.BigEndian.Uint32(b.reply.Bytes()); int(n) > b.reply.Len() {
			t.Fatalf("a frame of %d bytes in %d", n, b.reply.Len())
		}
	})
}
