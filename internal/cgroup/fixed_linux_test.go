package cgroup

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Limit applies to a fixed group, and Join moves a process to a sub-group. Both groups exist until
// Remove.
func TestFixed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, who can open files of mode 0 again") // as in rootOnly, for both versions
	}
	eachFlavour(t, func(w *world) {
		v2 := w.f.name == "version 2"
		if v2 { // created by the kernel in a real hierarchy
			w.write("howdah/node/cgroup.subtree_control", "")
		}
		open := func() *Fixed {
			f, err := OpenFixed(Config{Mount: w.mount, Log: slog.New(slog.DiscardHandler)}, "/howdah/node")
			require.NoError(w.t, err)
			return f
		}
		f := open()
		require.NoError(w.t, f.Limit(someLimits))
		require.NoError(w.t, f.Limit(someLimits), "again")
		node := &Group{path: "/howdah/node"}
		for name, want := range w.f.want {
			require.Equal(w.t, want, w.read(node, name), name)
		}
		require.NoError(w.t, f.Join("agent", os.Getpid()))
		procs := "memory/cgroup.procs"
		if v2 {
			procs = "cgroup.procs"
		}
		require.Equal(w.t, strconv.Itoa(os.Getpid()), w.read(&Group{path: "/howdah/node/agent"}, procs))
		require.NoError(w.t, os.Truncate(w.file(&Group{path: "/howdah/node/agent"}, procs), 0))
		for _, c := range []string{"cpu", "cpuacct", "pids"} {
			if !v2 {
				require.NoError(w.t, os.Truncate(w.file(&Group{path: "/howdah/node/agent"}, c+"/cgroup.procs"), 0))
			}
		}
		require.NotEmpty(w.t, w.groups())
		require.NoError(w.t, open().Remove(context.Background()))
		require.Empty(w.t, w.groups())
		require.NoError(w.t, open().Remove(context.Background()), "removing a group that does not exist is no error")
	})
}

// Sweep removes the trees of dead owners. It needs no Tree of its own and creates no groups.
func TestSweep(t *testing.T) {
	eachFlavour(t, func(w *world) {
		for _, c := range []string{"", "cpu", "cpuacct", "memory", "pids"} {
			if w.f.name == "version 2" == (c == "") {
				w.write(filepath.Join(c, "howdah/test-1/child-1/cgroup.procs"), "")
				w.write(filepath.Join(c, "howdah/other-1/cgroup.procs"), "")
			}
		}
		Sweep(Config{Mount: w.mount, Name: "test", Log: slog.New(slog.DiscardHandler)})
		for _, path := range w.groups() {
			require.Equal(w.t, "other-1", filepath.Base(path))
		}
		require.NotEmpty(w.t, w.groups())
	})
	Sweep(Config{Mount: t.TempDir(), Name: "test"})
}
