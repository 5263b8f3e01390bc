package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// Daemons run as the agent's user, so another user's request may only name the programs that the agent
// allows.
func TestProgramsOfOtherUsers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"allowed/howdah", "allowed-too", "theirs/howdah"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
	}
	require.NoError(t, os.WriteFile(dir+"/allowed/text", nil, 0o644))
	require.NoError(t, os.Symlink(dir+"/theirs/howdah", dir+"/allowed/link"))
	require.NoError(t, os.Symlink(dir+"/allowed/howdah", dir+"/theirs/link"))
	n := &Node{cfg: Config{Program: "/own", Programs: []string{dir + "/allowed", dir + "/allowed-too", dir + "/missing"}}}
	resolved, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	for name, want := range map[string]string{"": "/own", "allowed/howdah": resolved + "/allowed/howdah",
		"allowed-too": resolved + "/allowed-too", "theirs/link": resolved + "/allowed/howdah"} {
		spec := &mrcluster.Spec{User: "somebody"}
		if name != "" {
			spec.Binary = filepath.Join(dir, name)
		}
		got, err := n.program(spec, "tasktracker")
		require.NoError(t, err, name)
		require.Equal(t, want, got)
	}
	for _, user := range []string{"somebody", ""} {
		for _, name := range []string{"theirs/howdah", "allowed/link", "allowed/missing", "missing"} {
			_, err := n.program(&mrcluster.Spec{User: user, Binary: filepath.Join(dir, name)}, "tasktracker")
			require.True(t, failure.Is(err, failure.Permission), "%s: %v", name, err)
			require.ErrorContains(t, err, conf.MRClusterPrograms.Name)
		}
	}
	_, err = n.program(&mrcluster.Spec{User: "somebody", Binary: dir + "/allowed/text"}, "tasktracker")
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	got, err := n.program(&mrcluster.Spec{User: passwd.Me(), Binary: dir + "/theirs/howdah"}, "tasktracker")
	require.NoError(t, err)
	require.Equal(t, dir+"/theirs/howdah", got, "the agent's own user")
}

// An agent can have programs of its own for daemons. The program of an MR-cluster replaces them.
func TestProgramsOfDaemons(t *testing.T) {
	n := &Node{cfg: Config{Program: "/own", Own: map[string]string{"jobtracker": "/mine", "tasktracker": ""}}}
	for command, want := range map[string]string{"jobtracker": "/mine", "tasktracker": "/own", "namenode": "/own"} {
		got, err := n.program(&mrcluster.Spec{}, command)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	file := filepath.Join(t.TempDir(), "howdah")
	require.NoError(t, os.WriteFile(file, nil, 0o755))
	got, err := n.program(&mrcluster.Spec{User: passwd.Me(), Binary: file}, "jobtracker")
	require.NoError(t, err)
	require.Equal(t, file, got)
}
