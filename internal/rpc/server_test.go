package rpc_test

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
)

// watched is a listener that records the size of the largest buffer into which the server reads.
type watched struct {
	net.Listener
	largest *atomic.Int64
}

func (w watched) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	return watchedConn{conn, w.largest}, err
}

type watchedConn struct {
	net.Conn
	largest *atomic.Int64
}

func (c watchedConn) Read(p []byte) (int, error) {
	c.largest.Store(max(c.largest.Load(), int64(len(p))))
	return c.Conn.Read(p)
}

// Thousands of connections with small messages must not need much memory for their buffers.
func TestSmallReadBuffers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var largest atomic.Int64
	s := rpc.NewServer(rpc.Options{})
	wire.RegisterTrackersServer(s, &server{})
	done := make(chan error, 1)
	go func() { done <- s.Serve(watched{l, &largest}) }()
	conn, err := rpc.Dial(l.Addr().String(), rpc.Options{})
	require.NoError(t, err)
	_, err = wire.NewTrackersClient(conn).Leave(t.Context(), &wire.LeaveRequest{})
	require.Error(t, err, "not implemented")
	require.NoError(t, conn.Close())
	s.Stop()
	require.NoError(t, <-done)
	require.Positive(t, largest.Load())
	require.LessOrEqual(t, largest.Load(), int64(4<<10))
}
