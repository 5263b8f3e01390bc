package account

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHome(t *testing.T) {
	dir, shell := Home("root")
	require.Equal(t, "/root", dir)
	require.NotEmpty(t, shell)
	dir, shell = Home("no-such-user-here")
	require.Empty(t, dir+shell)
	dir, shell, ok := homeIn("short:x:1\nann:x:1000:1001:Ann,,,:/home/ann:/bin/bash\n", "ann")
	require.True(t, ok)
	require.Equal(t, "/home/ann /bin/bash", dir+" "+shell)
	_, _, ok = homeIn("short:x:1\n", "short")
	require.False(t, ok)
}
