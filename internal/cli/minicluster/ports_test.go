package minicluster

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func TestPortsStayTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ports")
	first, err := readPorts(file, []string{"a", "b"})
	require.NoError(t, err)
	require.NotZero(t, first["a"])
	require.NotEqual(t, first["a"], first["b"])

	more, err := readPorts(file, []string{"b", "c", "a"})
	require.NoError(t, err)
	require.Equal(t, first["a"], more["a"])
	require.Equal(t, first["b"], more["b"])
	require.NotZero(t, more["c"])
}

func TestPortsRefuseGarbage(t *testing.T) {
	for _, text := range []string{"", "a\n", "a x\n", "a 0\n", "a 65536\n", "a -1\n"} {
		file := filepath.Join(t.TempDir(), "ports")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := readPorts(file, []string{"a"})
		require.True(t, failure.Is(err, failure.Corrupt), "%q: %v", text, err)
	}
}

// TestDamagedPortsAreRefused flips each bit of a file of ports, and cuts the file everywhere.
func TestDamagedPortsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ports")
	_, err := readPorts(file, []string{"a", "b"})
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for i := range whole {
		require.Error(t, ports{}.parse(string(whole[:i])), "%d bytes", i)
		for bit := range 8 {
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << bit
			require.Error(t, ports{}.parse(string(bad)), "bit %d of byte %d", bit, i)
		}
	}
	p := ports{}
	require.NoError(t, p.parse("a 1\nb 2\n"), "from an earlier version")
	require.Equal(t, ports{"a": 1, "b": 2}, p)
}
