package cgroup

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseNumber(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "4096": 4096, "max": 0, "-1": 0, "9223372036854771712": 0,
		"18446744073709551615": 0} {
		n, err := parseNumber(s)
		require.NoError(t, err)
		require.Equal(t, want, n, s)
	}
	for _, s := range []string{"", "x", "-2", "1 2", "1e3"} {
		_, err := parseNumber(s)
		require.Error(t, err, s)
	}
}

func TestReadPIDs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte("12\n0\n7\n"), 0o644))
	pids, err := readPIDs(dir)
	require.NoError(t, err)
	require.Equal(t, []int{12, 7}, pids, "0 would mean our own process group")
}

func TestMountRoot(t *testing.T) {
	const info = `25 30 0:23 / /sys/fs/cgroup ro - tmpfs tmpfs ro
31 25 0:27 /docker/abc /sys/fs/cgroup/cpu ro,nosuid shared:9 - cgroup cgroup rw,cpu
short line
`
	for dir, want := range map[string]string{"/sys/fs/cgroup": "/", "/sys/fs/cgroup/cpu": "/docker/abc"} {
		root, err := mountRoot(bufio.NewScanner(strings.NewReader(info)), dir)
		require.NoError(t, err)
		require.Equal(t, want, root)
	}
	_, err := mountRoot(bufio.NewScanner(strings.NewReader(info)), "/elsewhere")
	require.Error(t, err)
}

func FuzzParseTable(f *testing.F) {
	f.Add([]byte("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"))
	f.Add([]byte("anon max\n\nanon\n 7"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, n := range parseTable(b, []string{"oom_kill", "anon"}) {
			if n < 0 || n >= 1<<62 {
				t.Fatalf("%d from %q", n, b)
			}
		}
	})
}
