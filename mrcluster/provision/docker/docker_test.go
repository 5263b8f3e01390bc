package docker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
)

// The tests that need Docker are in integration/pool.

func TestFromConf(t *testing.T) {
	c := conf.New()
	_, err := FromConf(c)
	require.ErrorContains(t, err, "howdah.security.secret.file is not set")
	c.Set("howdah.security.secret.file", "/etc/secret", "test")
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Equal(t, Config{Image: "howdah", Options: []string{}, Program: "howdah", Dir: "/var/lib/howdah",
		Docker: "docker", Secret: "/etc/secret"}, cfg)
	c.Set("howdah.mrcluster.docker.options", "--cpus 0.5  -v /a:/a", "test")
	cfg, err = FromConf(c)
	require.NoError(t, err)
	require.Equal(t, []string{"--cpus", "0.5", "-v", "/a:/a"}, cfg.Options)
	c.Set("howdah.mrcluster.docker.image", "--privileged", "test")
	_, err = FromConf(c)
	require.True(t, failure.Is(err, failure.Config))
}

func TestArguments(t *testing.T) {
	b := &Backend{o: provision.Options{Agent: &provision.Agent{Program: "/here/howdah",
		Args: []string{"mrcluster", "agent", "{name}", "{host}", "{dir}"}, Env: []string{"A=b"}}},
		cfg: Config{Image: "img", Options: []string{"--cpus", "1"}, Program: "howdah", Dir: "/d"}, pool: "howdah-1",
		net: "10.64.0"}
	require.Equal(t, "create --init --name howdah-1-one --hostname one --network howdah-1 --ip 10.64.0.7 --label "+
		"howdah-pool=howdah-1 --label howdah-node=one "+
		"--label howdah-number=7 --entrypoint howdah --workdir /d --env A=b --cpus 1 img mrcluster agent one 10.64.0.7 /d "+
		"-D howdah.security.secret.file=/howdah-secret",
		strings.Join(b.arguments("one", 7), " "))
	b.cfg.RunAs = "tracker"
	words := b.arguments("one", 7)
	require.Equal(t, "howdah.tasktracker.run-as=tracker", words[len(words)-1])
}

// stub returns a back end that runs script as its docker command.
func stub(t *testing.T, script string) *Backend {
	file := filepath.Join(t.TempDir(), "docker")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755))
	return &Backend{cfg: Config{Docker: file, Dir: "/d"}, pool: "howdah-1", net: "10.64.0"}
}

func TestContainers(t *testing.T) {
	b := stub(t, "echo 'b 3 exited\na 2 running\nB 4 running\nc  running\nd x running'\n")
	nodes, err := b.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []provision.Node{{Name: "a", Host: "10.64.0.2", Dir: "/d", Running: true},
		{Name: "b", Host: "10.64.0.3", Dir: "/d"}}, nodes)
}

func TestSetCores(t *testing.T) {
	file := filepath.Join(t.TempDir(), "said")
	require.NoError(t, stub(t, "echo $@ > "+file).SetCores(t.Context(), "a", 0.5))
	said, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "update --cpus 0.5 howdah-1-a\n", string(said))
}

func TestErrors(t *testing.T) {
	for script, kind := range map[string]failure.Kind{
		"echo Cannot connect to the Docker daemon at unix:///x >&2; exit 1": failure.Unreachable,
		"echo no such image >&2; exit 125":                                  failure.Failed,
	} {
		_, err := stub(t, script).List(t.Context())
		require.True(t, failure.Is(err, kind), "%v", err)
	}
	b := &Backend{cfg: Config{Docker: "/nowhere/docker"}}
	_, err := b.List(t.Context())
	require.Error(t, err)
}
