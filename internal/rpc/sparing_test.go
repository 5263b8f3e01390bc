package rpc

import (
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
)

// lent is a buffer pool that counts the buffers in use.
type lent struct {
	n        atomic.Int32
	returned chan struct{}
}

func (l *lent) Get(size int) *[]byte {
	l.n.Add(1)
	b := make([]byte, size)
	return &b
}

func (l *lent) Put(*[]byte) {
	l.n.Add(-1)
	l.returned <- struct{}{}
}

// A connection uses a buffer only from the arrival of data until the caller returns it.
func TestSparing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	far, err := l.Accept()
	require.NoError(t, err)
	defer far.Close()
	s := spare(far, far).(*sparing)
	pool := &lent{returned: make(chan struct{}, 10)}
	type result struct {
		buf *[]byte
		n   int
		err error
	}
	done := make(chan result, 1)
	read := func(size int) {
		buf, n, err := s.ReadOnReady(size, pool)
		done <- result{buf, n, err}
	}

	go read(100)
	<-pool.returned // no data has arrived
	require.Zero(t, pool.n.Load())
	_, err = near.Write([]byte("hello"))
	require.NoError(t, err)
	r := <-done
	require.NoError(t, r.err)
	require.Equal(t, "hello", string((*r.buf)[:r.n]))
	require.EqualValues(t, 1, pool.n.Load())
	pool.Put(r.buf)
	<-pool.returned

	require.NoError(t, near.Close())
	read(100)
	require.Equal(t, result{err: io.EOF}, <-done)
	require.Zero(t, pool.n.Load())

	require.NoError(t, far.Close())
	read(100)
	require.ErrorIs(t, (<-done).err, net.ErrClosed)
	require.Zero(t, pool.n.Load())
}

// Without a file descriptor, a connection stays as it is.
func TestNothingToSpare(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	require.Equal(t, far, spare(far, far))
}

// gRPC's server reads with ReadOnReady.
func TestServerSpares(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	secret := auth.NewSecret()
	s := NewServer(Options{Secret: secret})
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	conn, err := Dial(l.Addr().String(), Options{Secret: secret})
	require.NoError(t, err)
	conn.Connect()
	reading := func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*sparing).ReadOnReady")
	}
	require.Eventually(t, reading, 10*time.Second, time.Millisecond)
	require.NoError(t, conn.Close())
	s.Stop()
	require.NoError(t, <-done)
}
