package hdfs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// A fake is a file system on a fake cluster, with its log.
type fake struct {
	*FS
	*hdfstest.Cluster
	t   *testing.T
	mu  sync.Mutex
	log []string
}

// with runs a test on a fake cluster in virtual time.
func with(t *testing.T, nodes int, o Options, run func(t *testing.T, f *fake)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{Cluster: hdfstest.New(nodes), t: t}
		o.Authority = hdfstest.NameNodeAddr
		o.NameNode = namenode.Options{Addrs: []string{hdfstest.NameNodeAddr}, User: "me", Dial: f.Cluster.Dial}
		o.Transfer = transfer.Options{Dial: f.Cluster.Dial, Timeout: 10 * time.Second}
		o.PacketSize = 2000
		o.Log = func(s string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.log = append(f.log, s)
		}
		f.FS = New(o)
		run(t, f)
		require.NoError(t, f.FS.Close())
	})
}

func content(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func (f *fake) read(name string) ([]byte, error) {
	r, err := f.Open(f.t.Context(), name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func (f *fake) create(name string, block int64) dfs.Writer {
	f.t.Helper()
	w, err := f.Create(f.t.Context(), name, dfs.CreateOptions{BlockSize: block})
	require.NoError(f.t, err)
	return w
}

func (f *fake) write(name string, b []byte, block int64) error {
	w, err := f.Create(f.t.Context(), name, dfs.CreateOptions{BlockSize: block})
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

func TestReadWhole(t *testing.T) {
	want := content(50_001)
	with(t, 2, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/f", want[:20_000], want[20_000:20_001], want[20_001:])
		got, err := f.read("/f")
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Empty(t, f.log)

		r, err := f.Open(t.Context(), "/f")
		require.NoError(t, err)
		defer r.Close()
		for _, c := range [][2]int{{0, 1}, {511, 3}, {19_990, 30}, {20_000, 1}, {50_000, 1}, {4096, 4096}, {100, 40_000}} {
			b := make([]byte, c[1])
			n, err := r.ReadAt(b, int64(c[0]))
			require.NoError(t, err)
			require.Equal(t, want[c[0]:c[0]+n], b, "%v", c)
		}
		before := f.DataNodes[0].Connections()
		for i := range 100 {
			_, err := r.ReadAt(make([]byte, 10), int64(i*100))
			require.NoError(t, err)
		}
		require.Equal(t, before, f.DataNodes[0].Connections(), "preads use connections again")
		n, err := r.ReadAt(make([]byte, 10), 49_996)
		require.Equal(t, 5, n)
		require.Equal(t, io.EOF, err)
	})
}

// spoil holds the ways in which a DataNode can send wrong or no bytes.
var spoil = map[string]func(seq int64, p []byte) ([]byte, bool){
	"flipped bit":       func(_ int64, p []byte) ([]byte, bool) { p[len(p)-3] ^= 4; return p, false },
	"flipped checksum":  func(_ int64, p []byte) ([]byte, bool) { p[40] ^= 1; return p, false },
	"late flip":         func(seq int64, p []byte) ([]byte, bool) { p[len(p)-1] ^= byte(seq / 2); return p, false },
	"cut":               func(seq int64, p []byte) ([]byte, bool) { return map[bool][]byte{true: p}[seq < 2], false },
	"cut in a packet":   func(seq int64, p []byte) ([]byte, bool) { return p[:len(p)-1], seq > 0 },
	"hangs":             func(seq int64, p []byte) ([]byte, bool) { return p, seq == 1 },
	"hangs at once":     func(int64, []byte) ([]byte, bool) { return nil, true },
	"lies about length": func(_ int64, p []byte) ([]byte, bool) { p[2] ^= 0x10; return p, false },
	"huge packet":       func(_ int64, p []byte) ([]byte, bool) { p[0] = 0x7f; return p, false },
	"negative packet":   func(_ int64, p []byte) ([]byte, bool) { p[0] = 0xff; return p, false },
	"no header":         func(_ int64, p []byte) ([]byte, bool) { p[4], p[5] = 0, 0; return p, false },
	"long header":       func(_ int64, p []byte) ([]byte, bool) { p[4] = 0xff; return p, false },
	"other offset":      func(_ int64, p []byte) ([]byte, bool) { p[7] ^= 1; return p, false },
	"repeated packet":   func(seq int64, p []byte) ([]byte, bool) { return append(p, p...), false },
	"ends early": func(seq int64, p []byte) ([]byte, bool) {
		if seq == 2 {
			return hdfstest.EncodePacket(2*hdfstest.PacketData, 2, true, nil), false
		}
		return p, false
	},
}

// TestNextReplicaOnAnyDoubt checks that the reader returns the right bytes whatever two of three
// DataNodes do.
func TestNextReplicaOnAnyDoubt(t *testing.T) {
	want := content(40_000)
	for name, bad := range spoil {
		t.Run(name, func(t *testing.T) {
			with(t, 3, Options{}, func(t *testing.T, f *fake) {
				f.AddFile("/f", want[:20_000], want[20_000:])
				f.DataNodes[0].OnRead, f.DataNodes[1].OnRead = bad, bad
				got, err := f.read("/f")
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got))
				require.Positive(t, f.DataNodes[0].Reads())
				require.NotEmpty(t, f.log)
				r, err := f.Open(t.Context(), "/f")
				require.NoError(t, err)
				b := make([]byte, 15_000)
				_, err = r.ReadAt(b, 12_000)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want[12_000:27_000], b))
				require.NoError(t, r.Close())
			})
		})
	}
}

func TestDamageIsReported(t *testing.T) {
	want := content(10_000)
	with(t, 3, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/f", want)
		f.DataNodes[0].OnRead = spoil["flipped bit"]
		got, err := f.read("/f")
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Len(t, f.Cluster.NameNode.Reported(), 1)
		bad := f.Cluster.NameNode.Reported()[0]
		require.Equal(t, []string{"dn1"}, []string{bad.Nodes[0].Host})
		require.Len(t, bad.Nodes, 1)
		require.EqualValues(t, 1, f.Damaged())
	})
}

func TestMissingBlockIsNamed(t *testing.T) {
	with(t, 2, Options{Failures: 2}, func(t *testing.T, f *fake) {
		f.AddFile("/f", content(1000), content(1000))
		for _, d := range f.DataNodes {
			d.Stop()
		}
		r, err := f.Open(t.Context(), "/f")
		require.NoError(t, err)
		defer r.Close()
		b := make([]byte, 10)
		_, err = r.ReadAt(b, 1500)
		require.True(t, failure.Is(err, failure.IO), "%v", err)
		require.ErrorContains(t, err, "pool:blk_")
		require.ErrorContains(t, err, "dn1:9866, dn2:9866")
		require.ErrorContains(t, err, "connection refused")
		require.Equal(t, 3, f.Cluster.NameNode.Count("getBlockLocations"), "locations are asked for again")

		time.AfterFunc(2*time.Second, f.DataNodes[1].Start)
		_, err = r.Read(b)
		require.NoError(t, err, "a DataNode that comes back")
	})
}

// TestStaleConnection checks that a cached connection closed by the DataNode does not make the
// reader switch replicas.
func TestStaleConnection(t *testing.T) {
	want := content(10_000)
	with(t, 2, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/f", want)
		for range 3 {
			got, err := f.read("/f")
			require.NoError(t, err)
			require.Equal(t, want, got)
			f.DataNodes[0].Stop()
			f.DataNodes[0].Start()
		}
		require.Empty(t, f.log)
		require.Zero(t, f.DataNodes[1].Reads())
	})
}

func TestWriteAndReplicas(t *testing.T) {
	want := content(100_001)
	with(t, 3, Options{}, func(t *testing.T, f *fake) {
		w := f.create("/f", 10_240)
		for b := want; len(b) > 0; {
			n := min(len(b), 777)
			k, err := w.Write(b[:n])
			require.NoError(t, err)
			require.Equal(t, n, k)
			if b = b[n:]; len(b)%5 == 0 {
				require.NoError(t, w.Sync())
			}
		}
		require.NoError(t, w.Close())
		got, err := f.read("/f")
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		require.Equal(t, 10, f.Cluster.NameNode.Count("addBlock"))
		require.Zero(t, f.budget.used.Load(), "memory is given back")
		require.Zero(t, f.lease.files)
	})
}

// faults holds the ways in which a pipeline can fail.
var faults = map[string]hdfstest.Fault{
	"first node hangs up": {HangUp: true},
	"somebody hangs":      {Hang: true},
	"second node failed":  {Bad: 2},
}

// TestPipelineRecovers checks that a writer survives a failure of its pipeline at various packets,
// with and without memory for the whole block.
func TestPipelineRecovers(t *testing.T) {
	want := content(30_000)
	for name, fault := range faults {
		for _, buffer := range []int64{1 << 20, -1} {
			for _, at := range []int64{0, 1, 5, 9, 13, 14} { // packet 14 is the last one and empty
				t.Run(fmt.Sprintf("%s at %d with %d", name, at, buffer), func(t *testing.T) {
					with(t, 3, Options{Buffer: buffer}, func(t *testing.T, f *fake) {
						struck := false
						f.DataNodes[0].OnWrite = func(seq int64) hdfstest.Fault {
							if seq == at && !struck {
								struck = true
								return fault
							}
							return hdfstest.Fault{}
						}
						require.NoError(t, f.write("/f", want, 20_992))
						require.True(t, struck)
						got, err := f.read("/f")
						require.NoError(t, err)
						require.True(t, bytes.Equal(want, got))
						require.NotEmpty(t, f.log)
						require.Zero(t, f.budget.used.Load())
					})
				})
			}
		}
	}
}

func TestDeadNodeAtSetup(t *testing.T) {
	want := content(30_000)
	for dead := range 3 {
		with(t, 3, Options{}, func(t *testing.T, f *fake) {
			f.DataNodes[dead].Stop()
			require.NoError(t, f.write("/f", want, 10_240))
			require.Len(t, f.log, 1, "a node that failed is avoided from then on")
			got, err := f.read("/f")
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got))
		})
	}
}

// TestWriteFails checks that a writer whose retries all fail returns an error in bounded time and
// leaves no partial file.
func TestWriteFails(t *testing.T) {
	with(t, 2, Options{Pipelines: 3}, func(t *testing.T, f *fake) {
		for _, d := range f.DataNodes {
			d.OnWrite = func(int64) hdfstest.Fault { return hdfstest.Fault{Hang: true} }
		}
		began := time.Now()
		err := f.write("/f", content(10_000), 1<<20)
		require.True(t, failure.Is(err, failure.IO), "%v", err)
		require.Less(t, time.Since(began), 5*time.Minute)
		require.False(t, f.Cluster.NameNode.Exists("/f"))
	})
}

func TestCancelWhileWaiting(t *testing.T) {
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/r", content(10_000))
		f.DataNodes[0].OnRead = spoil["hangs"]
		f.DataNodes[0].OnWrite = func(int64) hdfstest.Fault { return hdfstest.Fault{Hang: true} }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := f.Open(ctx, "/r")
		require.NoError(t, err)
		w, err := f.Create(ctx, "/w", dfs.CreateOptions{})
		require.NoError(t, err)
		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := io.ReadAll(r)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		_, err = w.Write(content(1000))
		require.NoError(t, err)
		require.ErrorIs(t, w.Sync(), context.DeadlineExceeded)
		wg.Wait()
		require.Equal(t, time.Second, time.Since(began))
		w.Abort()
		require.False(t, f.Cluster.NameNode.Exists("/w"))
		require.NoError(t, r.Close())
	})
}

// TestLostAnswers checks that the client determines the outcome of a create, rename, or delete
// whose answer was lost.
func TestLostAnswers(t *testing.T) {
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		lose := map[string]bool{}
		f.Cluster.NameNode.Before = func(c hdfstest.Call) (*rpc.RemoteError, bool, bool) {
			lost := lose[c.Method] && c.Retry == 0
			return nil, false, lost
		}
		for _, m := range []string{"create", "addBlock", "complete", "rename2", "delete"} {
			lose = map[string]bool{m: true}
			err := f.write("/f", content(1000), 1<<20)
			if m == "addBlock" || m == "complete" {
				// Unlike a real NameNode, the fake allocates a second block for a repeated
				// addBlock.
				require.NoError(t, f.Delete(t.Context(), "/f", false))
				continue
			}
			require.NoError(t, err, m)
			require.NoError(t, f.Rename(t.Context(), "/f", "/g"), m)
			require.NoError(t, f.Delete(t.Context(), "/g", false), m)
			require.False(t, f.Cluster.NameNode.Exists("/f"))
			require.False(t, f.Cluster.NameNode.Exists("/g"))
		}
	})
}

func TestIdleWriterKeepsItsPipeline(t *testing.T) {
	with(t, 2, Options{}, func(t *testing.T, f *fake) {
		w := f.create("/f", 1<<20)
		want := content(5000)
		for range 3 {
			_, err := w.Write(want)
			require.NoError(t, err)
			time.Sleep(10 * time.Minute)
		}
		require.NoError(t, w.Close())
		require.Empty(t, f.log)
		require.Equal(t, 1, f.Cluster.NameNode.Count("addBlock"))
		require.Greater(t, f.Cluster.NameNode.Count("renewLease"), 30)
	})
}

// TestDroppedAgainAndAgain uses a DataNode that drops the reader repeatedly, as real ones do with
// slow readers. The read succeeds because it makes progress.
func TestDroppedAgainAndAgain(t *testing.T) {
	want := content(100_000)
	with(t, 1, Options{}, func(t *testing.T, f *fake) {
		f.AddFile("/f", want)
		f.DataNodes[0].OnRead = spoil["cut"]
		got, err := f.read("/f")
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		require.Greater(t, f.DataNodes[0].Reads(), 10)
	})
}
