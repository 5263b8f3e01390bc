package progress

import (
	"bytes"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/stretchr/testify/require"
)

// A bar is silent at first. Then it shows all progress, including the progress before it appeared.
// At its end it clears the line.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	w := after(&out, quick)
	now := w.at.Add(-time.Millisecond)
	w.now = func() time.Time { return now }
	b := newBar(w, 4096, 0, progressbar.OptionShowBytes(true))
	require.NoError(t, b.Add(1024))
	require.Empty(t, out.String())

	now = now.Add(time.Millisecond)
	require.NoError(t, b.Add(1024))
	require.Contains(t, out.String(), "50%")
	require.Contains(t, out.String(), "2.0/4.1 kB")
	require.NoError(t, b.Finish())
	require.Regexp(t, `\r *\r$`, out.String())
	require.False(t, Terminal(&out))
}
