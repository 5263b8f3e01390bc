package daemonrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// program writes a script that replaces howdah in tests.
func program(t *testing.T, lines string) Command {
	file := filepath.Join(t.TempDir(), "howdah")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+lines), 0o755))
	return Command{Program: file, Args: []string{"--config", t.TempDir()}}
}

func TestServesUntilItIsStopped(t *testing.T) {
	var log strings.Builder
	c := program(t, `trap 'exit 0' INT
echo "$@" >&2
echo starting; echo manager ready: address h:1 web http://h:2 gossip h:3
while :; do sleep 0.01; done`)
	c.Log = &log
	m, err := StartManager(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []string{"h:1", "http://h:2", "h:3"}, []string{m.Address, m.Web, m.Gossip})
	require.True(t, m.Stop(time.Minute))
	<-m.Done()
	require.Equal(t, fmt.Sprintf("mrcluster manager --config %s\n", c.Args[1]), log.String())
}

func TestOwnGroup(t *testing.T) {
	for _, own := range []bool{false, true} {
		c := program(t, "echo manager ready: address h:1 web http://h:2 gossip h:3\nexec sleep 100")
		c.OwnGroup = own
		m, err := StartManager(t.Context(), c)
		require.NoError(t, err)
		group, err := syscall.Getpgid(m.cmd.Process.Pid)
		require.NoError(t, err)
		require.Equal(t, own, m.cmd.Process.Pid == group)
		m.Kill()
	}
}

func TestMinicluster(t *testing.T) {
	m, err := StartMinicluster(t.Context(),
		program(t, "echo minicluster ready: config /c jobtracker h:1 web http://h:2\nsleep 0.01\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"/c", "h:1", "http://h:2"}, []string{m.Conf, m.JobTracker, m.Web})
	<-m.Done()
	require.True(t, m.Stop(time.Minute), "it ended by itself")
}

func TestEnvironment(t *testing.T) {
	t.Setenv("HOWDAH_CONF_DIR", "/c")
	t.Setenv("HADOOP_CONF_DIR", "/c")
	t.Setenv("MARK", "kept")
	var log strings.Builder
	c := program(t, `env >&2`)
	c.Log = &log
	_, err := StartMinicluster(t.Context(), c)
	require.ErrorContains(t, err, "it ended")
	require.Contains(t, log.String(), "MARK=kept")
	require.NotContains(t, log.String(), "_CONF_DIR")
}

func TestDoesNotServe(t *testing.T) {
	_, err := StartManager(t.Context(), program(t, "exit 3"))
	require.ErrorContains(t, err, "it ended")
	_, err = StartManager(t.Context(), Command{Program: "/nowhere/howdah"})
	require.Error(t, err)
}

func TestKilledWhenItDoesNotEnd(t *testing.T) {
	m, err := StartManager(t.Context(),
		program(t, "trap '' INT\necho manager ready: address h:1 web http://h:2 gossip h:3\nwhile :; do sleep 0.01; done"))
	require.NoError(t, err)
	require.False(t, m.Stop(10*time.Millisecond))
	<-m.Done()
}

func TestSite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "conf")
	require.NoError(t, WriteSite(dir, []conf.Property{{Name: "a.b", Value: "<&>"}}))
	c, err := conf.GenericOptions{ConfigDir: dir}.Load()
	require.NoError(t, err)
	require.Equal(t, "<&>", c.Get("a.b"))
	require.Error(t, WriteSite("/dev/null/conf", nil))
}
