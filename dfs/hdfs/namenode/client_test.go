package namenode

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// servers maps addresses to fake NameNodes. Each NameNode is a function that answers calls.
type servers map[string]func(c hdfstest.Call) (body []byte, err *rpc.RemoteError, hangUp bool)

var lock sync.Mutex // guards fields that tests change

// set replaces a server. nil removes it.
func (s servers) set(addr string, handle func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool)) {
	lock.Lock()
	defer lock.Unlock()
	s[addr] = handle
}

func (s servers) dial(_ context.Context, _, addr string) (net.Conn, error) {
	lock.Lock()
	handle := s[addr]
	lock.Unlock()
	if handle == nil {
		return nil, syscall.ECONNREFUSED
	}
	client, server := net.Pipe()
	go hdfstest.ServeRPC(server, handle)
	return client, nil
}

func (s servers) client(addrs ...string) *Client {
	return New(Options{Addrs: addrs, User: "me", Dial: s.dial, FirstContact: 5 * time.Second, Patience: time.Minute,
		SafeMode: time.Minute})
}

func ok(hdfstest.Call) ([]byte, *rpc.RemoteError, bool) { return truthful, nil, false }

var truthful = pb.Message(nil).Bool(1, true)

func throw(class string) (body []byte, err *rpc.RemoteError, hangUp bool) {
	return nil, &rpc.RemoteError{Class: class, Message: class + ": because\n\tat Java"}, false
}

// TestFailover checks that, after a rejection by the standby of a pair, the client calls the active
// NameNode first.
func TestFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		s := servers{
			"a": func(hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
				asked["a"]++
				return throw("org.apache.hadoop.ipc.StandbyException")
			},
			"b": func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) { asked["b"]++; return ok(c) },
		}
		c := s.client("a", "b")
		defer c.Close()
		var log []string
		c.o.Log = func(text string) { log = append(log, text) }
		for range 3 {
			done, err := c.Complete(t.Context(), "/f", 1, nil)
			require.NoError(t, err)
			require.True(t, done)
		}
		require.Equal(t, map[string]int{"a": 1, "b": 3}, asked)
		require.Empty(t, log, "a pair whose first one is the standby is as it should be")

		// The active NameNode dies, and the standby takes over later.
		s.set("b", nil)
		c.servers[1].conn.Close()
		began := time.Now()
		s.set("a", func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
			if time.Since(began) < 20*time.Second {
				return throw("org.apache.hadoop.ipc.StandbyException")
			}
			return ok(c)
		})
		c.servers[0].conn.Close()
		_, err := c.Complete(t.Context(), "/f", 1, nil)
		require.NoError(t, err)
		require.NotEmpty(t, log, "the log mentions the failover")
	})
}

// TestSilentOneOfAPair checks calls while one or both NameNodes of a pair cannot be reached. After
// the time limit for one NameNode, the client calls the other and gives it time to take over.
func TestSilentOneOfAPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takesOver := time.Now().Add(30 * time.Second)
		s := servers{"b": func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
			if time.Now().Before(takesOver) {
				return throw("org.apache.hadoop.ipc.StandbyException")
			}
			return ok(c)
		}}
		c := New(Options{Addrs: []string{"a", "b"}, User: "me", FirstContact: 10 * time.Second,
			Dial: func(ctx context.Context, n, a string) (net.Conn, error) {
				if a == "a" {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return s.dial(ctx, n, a)
			}})
		defer c.Close()
		require.NoError(t, c.RenewLease(t.Context()))
	})
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Addrs: []string{"a", "b"}, User: "me", FirstContact: 10 * time.Second,
			Dial: func(ctx context.Context, n, a string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}})
		defer c.Close()
		began := time.Now()
		require.Error(t, c.RenewLease(t.Context()))
		require.Less(t, time.Since(began), 2*time.Minute)
	})
}

// TestLostAnswer checks that the client retries a call under the same number after its answer was
// lost, so that the NameNode can recognize it. If a retry is then rejected, the error reports that
// the outcome is uncertain.
func TestLostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids, retries []int64
		s := servers{"a": func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
			ids, retries = append(ids, c.ID), append(retries, c.Retry)
			if len(ids) < 3 {
				return nil, nil, true
			}
			return throw("java.io.FileNotFoundException")
		}}
		c := s.client("a")
		defer c.Close()
		err := c.Rename(t.Context(), "/a", "/b", false)
		var f *Failed
		require.ErrorAs(t, err, &f)
		require.Equal(t, "FileNotFoundException", f.Class)
		require.Equal(t, "because", f.Error())
		require.True(t, f.Uncertain)
		require.Equal(t, []int64{ids[0], ids[0], ids[0]}, ids)
		require.Equal(t, []int64{0, 1, 2}, retries)

		_, err = c.Complete(t.Context(), "/a", 1, nil)
		require.ErrorAs(t, err, &f)
		require.False(t, f.Uncertain)
		require.NotEqual(t, ids[0], ids[3])
	})
}

func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := servers{}.client("a")
		defer c.Close()
		err := c.RenewLease(t.Context())
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.InDelta(t, 5*time.Second, time.Since(began), float64(3*time.Second), "a NameNode that was never reached")
	})
	synctest.Test(t, func(t *testing.T) {
		s := servers{"a": ok}
		c := s.client("a")
		defer c.Close()
		require.NoError(t, c.RenewLease(t.Context()))
		s.set("a", nil)
		c.servers[0].conn.Close()
		began := time.Now()
		time.AfterFunc(40*time.Second, func() { s.set("a", ok) })
		require.NoError(t, c.RenewLease(t.Context()), "one that comes back")
		require.InDelta(t, 40*time.Second, time.Since(began), float64(3*time.Second))

		s.set("a", func(hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
			return throw("org.apache.hadoop.hdfs.server.namenode.SafeModeException")
		})
		c.servers[0].conn.Close()
		began = time.Now()
		err := c.RenewLease(t.Context())
		require.ErrorContains(t, err, "because")
		require.InDelta(t, time.Minute, time.Since(began), float64(3*time.Second), "safe mode")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		require.ErrorIs(t, c.RenewLease(ctx), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestManyCallsOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		s := servers{"a": ok}
		c := New(Options{Addrs: []string{"a"}, User: "me", Dial: func(ctx context.Context, n, a string) (net.Conn, error) {
			dials++
			time.Sleep(time.Second)
			return s.dial(ctx, n, a)
		}})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if err := c.RenewLease(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, 1, dials)
		c.Close()
		require.ErrorIs(t, c.RenewLease(t.Context()), errClosed)
	})
}

// TestDamagedAnswers checks that an answer that no NameNode sends causes an error, not a panic or a
// hang.
func TestDamagedAnswers(t *testing.T) {
	for _, body := range []string{"\xff", "\x0a\x05abc", "\x0a\x03\xff\xff\xff"} {
		synctest.Test(t, func(t *testing.T) {
			c := servers{"a": func(hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
				return []byte(body), nil, false
			}}.client("a")
			defer c.Close()
			_, err := c.Locations(t.Context(), "/f", 0, 1)
			require.ErrorContains(t, err, "damaged")
			_, _, err = c.Listing(t.Context(), "/f", true)
			require.ErrorContains(t, err, "damaged")
			_, err = c.AddBlock(t.Context(), "/f", 1, nil, nil)
			require.ErrorContains(t, err, "damaged")
		})
	}
}

func TestListingOfManyPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := servers{"a": func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
			after := ""
			for r := pb.Read(c.Request); r.Next(); {
				if r.Num == 2 {
					after = r.String()
				}
			}
			n := 0
			fmt.Sscan(after, &n)
			page := pb.Message(nil)
			for i := n + 1; i <= min(n+3, 8); i++ {
				page = page.Bytes(1, pb.Message(nil).Uint(1, 2).String(2, fmt.Sprint(i)))
			}
			return pb.Message(nil).Bytes(1, page.Int(2, int64(max(0, 8-n-3)))), nil, false
		}}.client("a")
		defer c.Close()
		all, found, err := c.Listing(t.Context(), "/d", false)
		require.NoError(t, err)
		require.True(t, found)
		require.Len(t, all, 8)
		require.Equal(t, "8", all[7].Name)
	})
}

// A listing that is too large is an error, not a part of the directory.
func TestListingTooLarge(t *testing.T) {
	defer func(n int) { maxEntries = n }(maxEntries)
	maxEntries = 4
	for remaining, want := range map[int64]failure.Kind{0: failure.Unknown, 1: failure.Limit} {
		synctest.Test(t, func(t *testing.T) {
			calls := int64(0)
			c := servers{"a": func(hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
				calls++
				entry := pb.Message(nil).Uint(1, 2).String(2, fmt.Sprint(calls))
				return pb.Message(nil).Bytes(1, pb.Message(nil).Bytes(1, entry).Int(2, 4+remaining-calls)), nil, false
			}}.client("a")
			defer c.Close()
			all, _, err := c.Listing(t.Context(), "/d", false)
			require.Equal(t, want, failure.KindOf(err), err)
			require.Equal(t, want == failure.Unknown, len(all) == 4)
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(pb.Message(nil).Int(1, 5).Bytes(2, pb.Message(nil).Int(2, 3)).Bool(3, true)))
	f.Fuzz(func(t *testing.T, m []byte) {
		decodeBlocks(m)
		DecodeStatus(m)
	})
}
