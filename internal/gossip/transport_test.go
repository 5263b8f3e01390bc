package gossip

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/stretchr/testify/require"
)

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// The streams of strangers do not fill the memory. Whatever a stream has occupied is free once it is
// closed.
func TestBytesOfStreamsAreLimited(t *testing.T) {
	t.Parallel()
	all, err := newTransport(&memberlist.NetTransportConfig{BindAddrs: []string{"127.0.0.1"}})
	require.NoError(t, err)
	defer all.Shutdown()
	incoming := func() net.Conn {
		c := dial(t, fmt.Sprintf("127.0.0.1:%d", all.GetAutoBindPort()))
		go io.Copy(c, zeros{})
		return <-all.StreamCh()
	}
	for range 2 {
		a, b := incoming(), incoming()
		_, err = io.CopyN(io.Discard, a, maxBytes/2)
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, b)
		require.ErrorIs(t, err, errTooMuch)
		require.InDelta(t, maxBytes/2, n, 1<<20)
		require.NoError(t, b.Close())
		require.ErrorIs(t, b.Close(), net.ErrClosed)
		require.NoError(t, a.Close())
	}
	require.Zero(t, all.held.Load())
	require.Zero(t, all.open.Load())
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	n, err := Join(Config{})
	require.NoError(t, err)
	defer n.Leave()
	for range maxStreams {
		dial(t, n.Addr())
	}
	last := dial(t, n.Addr())
	require.NoError(t, last.SetReadDeadline(time.Now().Add(5*time.Second))) // memberlist closes streams later
	_, err = last.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}
