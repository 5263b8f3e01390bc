package proctree

import (
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConfinedProcessesGainNoRights compares the kernel's view of processes of both kinds of
// Spawner. The rest of this process keeps its rights.
func TestConfinedProcessesGainNoRights(t *testing.T) {
	for _, x := range []struct {
		new  func(Mode) *Spawner
		want string
	}{{NewConfined, "NoNewPrivs:\t1\n"}, {NewSpawner, "NoNewPrivs:\t0\n"}} {
		s := x.new(Group)
		r, w, err := os.Pipe()
		require.NoError(t, err)
		tree, err := s.Start(Spec{Path: "/bin/sh", Args: []string{"sh", "-c", "grep NoNewPrivs /proc/self/status"},
			Env: os.Environ(), Files: []*os.File{nil, w, w}})
		require.NoError(t, err)
		w.Close()
		_, err = tree.Wait()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		r.Close()
		s.Close()
		require.Equal(t, x.want, string(text))
	}
}

// TestConfinedProcessesCanChangeUsers checks that a Spawner skips user namespaces.
func TestConfinedProcessesCanChangeUsers(t *testing.T) {
	s := NewConfined(UserNamespace)
	defer s.Close()
	tree, err := s.Start(Spec{Path: "/bin/true", Args: []string{"true"}})
	require.NoError(t, err)
	require.Equal(t, Group, tree.Mode())
	_, err = tree.Wait()
	require.NoError(t, err)
}
