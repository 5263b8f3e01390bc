package proctree

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Trees of different Spawners in one process are independent. A Spawner does not kill the strays of
// another Spawner's trees.
func TestTwoSpawners(t *testing.T) {
	a, b := NewSpawner(Group), NewSpawner(Group)
	defer a.Close()
	defer b.Close()
	stays, err := a.Start(spec(nil, "sleep"))
	require.NoError(t, err)
	ends, err := b.Start(spec(nil, "quit", "0"))
	require.NoError(t, err)
	_, err = ends.Wait()
	require.NoError(t, err)
	require.Len(t, marked(stays.mark, 0), 1)
	require.NoError(t, stays.Kill())
	_, err = stays.Wait()
	require.NoError(t, err)
}
