package chaos

import (
	"bufio"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo starts a server that sends back each line, and a proxy in front of it.
func echo(t *testing.T) *Proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	p, err := NewProxy(l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// caller sends lines through a proxy.
type caller struct {
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, p *Proxy) caller {
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return caller{c, bufio.NewReader(c)}
}

func (c caller) call() error {
	if _, err := c.Write([]byte("hello\n")); err != nil {
		return err
	}
	_, err := c.in.ReadString('\n')
	return err
}

func TestProxy(t *testing.T) {
	p := echo(t)
	c := dial(t, p)
	require.NoError(t, c.call())
	p.Disturb(Delaying, 20*time.Millisecond)
	began := time.Now()
	require.NoError(t, c.call())
	require.GreaterOrEqual(t, time.Since(began), 40*time.Millisecond)
	p.Cut()
	require.Error(t, c.call())

	for _, trouble := range []Trouble{Deaf, Dumb} {
		p.Disturb(Clear, 0)
		c = dial(t, p)
		require.NoError(t, c.call())
		p.Disturb(trouble, 0)
		require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Millisecond)))
		require.ErrorIs(t, c.call(), os.ErrDeadlineExceeded, "nothing arrives")
		require.NoError(t, c.SetDeadline(time.Time{}))
		p.Disturb(Clear, 0)
		require.Error(t, c.call(), "what was lost stays lost")
	}

	p.Disturb(Refusing, 0)
	require.Error(t, dial(t, p).call())
	p.Disturb(Clear, 0)
	require.NoError(t, dial(t, p).call())
	p.Disturb(Deaf, 0) // Close ends connections that wait
}
