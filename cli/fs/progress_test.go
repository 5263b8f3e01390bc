package fs

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A meter is silent at first, then shows the part that is done, and leaves an empty line.
func TestMeter(t *testing.T) {
	var out bytes.Buffer
	m := newMeter(&out, 4096)
	now := m.began
	m.now = func() time.Time { return now }
	m.Write(make([]byte, 1024))
	m.end()
	require.Empty(t, out.String())

	now = now.Add(2 * time.Second)
	m.Write(make([]byte, 1024))
	m.Write(make([]byte, 1024)) // too soon for another line
	require.Equal(t, "\r\x1b[K2 K of 4 K, 1 K/s [###############               ] 50%", out.String())
	out.Reset()
	m.end()
	require.Equal(t, "\r\x1b[K", out.String())
}
