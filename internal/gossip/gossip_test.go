package gossip_test

import (
	"bytes"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/job/failure"
)

func join(t *testing.T, c gossip.Config) *gossip.Node {
	t.Helper()
	c.RetryEvery = 20 * time.Millisecond
	n, err := gossip.Join(c)
	require.NoError(t, err)
	return n
}

func jobTracker(epoch int64, rpc string) gossip.Meta {
	return gossip.Meta{Role: gossip.JobTracker, RPC: rpc, Epoch: epoch}
}

func finds(t *testing.T, n *gossip.Node, rpc string) {
	t.Helper()
	require.Eventually(t, func() bool {
		m, ok := n.JobTracker()
		return ok && m.RPC == rpc
	}, time.Minute, 5*time.Millisecond)
}

func TestTrackerFindsJobTrackerThroughAnotherTracker(t *testing.T) {
	t.Parallel()
	jt := join(t, gossip.Config{Meta: jobTracker(0, "127.0.0.1:9001")})
	defer jt.Leave()
	a := join(t, gossip.Config{Seeds: []string{jt.Addr()}, Meta: gossip.Meta{Role: gossip.TaskTracker}})
	defer a.Leave()
	b := join(t, gossip.Config{Seeds: []string{a.Addr()}, Meta: gossip.Meta{Role: gossip.TaskTracker}})
	defer b.Leave()
	finds(t, b, "127.0.0.1:9001")
}

func TestReturnOnOtherPorts(t *testing.T) {
	t.Parallel()
	peers := filepath.Join(t.TempDir(), "peers")
	key := []byte("0123456789abcdef")
	jt := join(t, gossip.Config{PeersFile: peers, Key: key, Meta: jobTracker(0, "127.0.0.1:1")})
	tt := join(t, gossip.Config{Seeds: []string{jt.Addr()}, Key: key, Meta: gossip.Meta{Role: gossip.TaskTracker}})
	defer tt.Leave()
	finds(t, tt, "127.0.0.1:1")
	require.Eventually(t, func() bool { return len(jt.Members()) == 2 }, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool { m, _ := filepath.Glob(peers); return len(m) == 1 }, time.Minute,
		5*time.Millisecond)
	jt.Leave()

	again := join(t, gossip.Config{PeersFile: peers, Key: key, Meta: jobTracker(1, "127.0.0.1:2")})
	defer again.Leave()
	finds(t, tt, "127.0.0.1:2")
}

func TestWrongKeyStaysOutside(t *testing.T) {
	t.Parallel()
	key := [2][]byte{[]byte("0123456789abcdef"), []byte("fedcba9876543210")}
	var said [2]lockedBuffer
	log := func(i int) *slog.Logger { return slog.New(slog.NewTextHandler(&said[i], nil)) }
	jt := join(t, gossip.Config{Key: key[0], Meta: jobTracker(0, "127.0.0.1:1"), Log: log(0)})
	defer jt.Leave()
	tt := join(t, gossip.Config{Seeds: []string{jt.Addr()}, Key: key[1], Log: log(1),
		Meta: gossip.Meta{Role: gossip.TaskTracker}})
	defer tt.Leave()
	for i := range said {
		require.Eventually(t, func() bool { return strings.Contains(said[i].String(), "howdah.gossip.key.file") },
			time.Minute, time.Millisecond)
	}
	_, ok := tt.JobTracker()
	require.False(t, ok)
}

// lockedBuffer is a buffer that goroutines may share.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestAgentFindsTheLatestManager(t *testing.T) {
	t.Parallel()
	old := join(t, gossip.Config{Meta: gossip.Meta{Role: gossip.Manager, RPC: "old:1", Epoch: 1, Pool: "p"}})
	defer old.Leave()
	now := join(t, gossip.Config{Seeds: []string{old.Addr()},
		Meta: gossip.Meta{Role: gossip.Manager, RPC: "now:1", Epoch: 2, Pool: "p"}})
	defer now.Leave()
	a := join(t, gossip.Config{Seeds: []string{old.Addr()}, Seek: gossip.Manager, Meta: gossip.Meta{Role: gossip.Agent}})
	defer a.Leave()
	require.Eventually(t, func() bool {
		m, ok := a.Find(gossip.Manager)
		return ok && m.RPC == "now:1" && m.Pool == "p"
	}, time.Minute, 5*time.Millisecond)
}

// A host name is one address, not all of them.
func TestHostName(t *testing.T) {
	t.Parallel()
	n := join(t, gossip.Config{Bind: "localhost:0"})
	defer n.Leave()
	at, err := net.ResolveTCPAddr("tcp", n.Addr())
	require.NoError(t, err)
	require.True(t, at.IP.IsLoopback(), n.Addr())
}

func TestBadConfig(t *testing.T) {
	_, err := gossip.Join(gossip.Config{Key: []byte("short")})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	_, err = gossip.Join(gossip.Config{Seeds: []string{"host-without-port"}})
	require.ErrorContains(t, err, "host:port")
	_, err = gossip.Join(gossip.Config{Bind: "nowhere"})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}
