package freeport

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortsAreFreeAndGivenOnce(t *testing.T) {
	seen := map[int]bool{}
	for range 50 {
		ports, err := Find(4)
		require.NoError(t, err)
		require.Len(t, ports, 4)
		for _, p := range ports {
			require.False(t, seen[p], "port %d came twice", p)
			seen[p] = true
			require.GreaterOrEqual(t, p, lowest)
			require.Less(t, p, ephemeral())
		}
	}
}

func TestTakenPortsAreLeftOut(t *testing.T) {
	ports, err := Find(1)
	require.NoError(t, err)
	l, err := net.Listen("tcp", addr(ports[0]))
	require.NoError(t, err)
	defer l.Close()
	require.False(t, free(ports[0]))
}

func TestMoreThanThereAre(t *testing.T) {
	_, err := Find(70000)
	require.ErrorContains(t, err, "find a free port")
	clear(given)
}
