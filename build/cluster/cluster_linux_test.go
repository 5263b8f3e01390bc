package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// host runs the script for a directory of this machine.
type host struct {
	t   *testing.T
	dir string
}

func newHost(t *testing.T) host {
	if _, err := os.Stat("/run/systemd/system"); err == nil && os.Geteuid() == 0 {
		t.Skip("the script would install systemd units")
	}
	return host{t, filepath.Join(t.TempDir(), "howdah")}
}

func (h host) run(verb string, args ...string) (string, error) {
	cmd := exec.Command("sh", append([]string{"-s", verb, h.dir}, args...)...)
	cmd.Stdin = strings.NewReader(Script)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (h host) ok(verb string, args ...string) string {
	h.t.Helper()
	out, err := h.run(verb, args...)
	require.NoError(h.t, err, out)
	return out
}

func (h host) write(mode os.FileMode, name, text string) {
	file := filepath.Join(h.dir, name)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(h.t, os.WriteFile(file, []byte(text), mode))
}

// fill writes what an archive contains. The daemon touches a file when it stops.
func (h host) fill(outside string) {
	h.write(0o755, "bin/host.sh", Script)
	h.write(0o755, "versions/v1/howdah", "#!/bin/sh\necho \"$@\"\n")
	h.write(0o755, "versions/v2/howdah", "#!/bin/sh\necho new \"$@\"\n")
	h.write(0o755, "daemons/tasktracker", "#!/bin/sh\ntrap 'echo bye; exit' TERM\necho up\nwhile :; do sleep 0.01; done\n")
	h.write(0o644, "outside", outside)
	h.write(0o644, "cluster", "one\n")
}

func TestScript(t *testing.T) {
	h := newHost(t)
	old, made := t.TempDir(), filepath.Join(t.TempDir(), "made")
	require.Contains(t, h.ok("check", "one"), " supervised")
	h.fill(old + "\n" + made + "\n")
	h.write(0o755, "versions/other/howdah", "\x7fELF")
	out, err := h.run("try", "other")
	require.Error(t, err)
	require.Contains(t, out, "does not run")
	h.ok("install", "v1")
	require.NoError(t, os.Mkdir(made, 0o755))
	require.Equal(t, "tasktracker stopped v1", h.ok("status"))
	h.ok("start", "tasktracker")
	t.Cleanup(func() { _, _ = h.run("remove") })
	h.ok("start", "tasktracker") // does nothing
	require.Equal(t, "tasktracker running v1", h.ok("status"))
	require.Equal(t, "--config "+h.dir+"/conf a b c", h.ok("howdah", "bin/tasktracker", "a", "b c"))

	h.ok("upgrade", "v2", "tasktracker")
	require.Equal(t, "tasktracker running v2", h.ok("status"))
	require.Contains(t, h.ok("logs", "9"), "bye", "the first daemon ended cleanly")
	require.Equal(t, 1, strings.Count(h.ok("logs", "9"), "== tasktracker"))
	h.ok("prune", "v2")
	require.NoDirExists(t, filepath.Join(h.dir, "versions/v1"))

	_, err = h.run("check", "other")
	require.Error(t, err, "the directory contains another cluster")
	h.ok("check", "one")
	h.ok("stop", "tasktracker")
	require.Equal(t, "tasktracker stopped v2", h.ok("status"))
	h.ok("start", "tasktracker")
	require.Equal(t, "removed", h.ok("remove"))
	require.NoDirExists(t, h.dir)
	require.NoDirExists(t, made)
	require.DirExists(t, old, "it existed before the cluster")
	require.Equal(t, "absent", h.ok("remove"))
	require.Equal(t, "- absent", h.ok("status"))
	found, err := exec.Command("pgrep", "-f", h.dir).Output()
	require.Error(t, err, string(found))
}

func TestScriptKeepsOtherFiles(t *testing.T) {
	h := newHost(t)
	h.write(0o644, "precious", "")
	out, err := h.run("check", "one")
	require.Error(t, err)
	require.Contains(t, out, "is not empty")
	require.Equal(t, "absent", h.ok("remove"))
	require.FileExists(t, filepath.Join(h.dir, "precious"))
	_, err = h.run("start", "tasktracker")
	require.Error(t, err)
}

// systemd accepts the unit.
func TestUnit(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	h := newHost(t)
	h.fill("")
	const name = "howdah-tasktracker.service"
	h.write(0o644, name, strings.NewReplacer("@DIR@", h.dir, "@NAME@", "tasktracker").Replace(Unit))
	out, err := exec.Command(verify, "verify", "--man=no", filepath.Join(h.dir, name)).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), name+":")
}
