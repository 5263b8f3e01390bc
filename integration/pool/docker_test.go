//go:build integration

package pool

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/docker"
	"github.com/howdah/howdah/mrcluster/provision/provisiontest"
)

// image returns the name of an image that has a shell: $HOWDAH_IMAGE, or howdah. It skips the test if
// Docker does not have the image.
func image(t *testing.T) string {
	name := os.Getenv("HOWDAH_IMAGE")
	if name == "" {
		name = "howdah"
	}
	if out, err := exec.Command("docker", "image", "inspect", name).CombinedOutput(); err != nil {
		t.Skipf("Docker has no image %s: %s", name, out)
	}
	return name
}

func TestDockerContract(t *testing.T) {
	leftovers.Check(t)
	name := image(t)
	// find returns the container of a node, or "". Nodes of different pools can have the same name, so
	// find also compares the addresses.
	find := func(t *testing.T, n provision.Node) string {
		out := run(t, "ps", "-a", "--filter", "label=howdah-node="+n.Name, "--format", "{{.Names}}")
		for id := range strings.FieldsSeq(out) {
			if strings.Contains(run(t, "inspect", id), `"`+n.Host+`"`) {
				return id
			}
		}
		return ""
	}
	before := run(t, "network", "ls", "-q")
	provisiontest.Run(t, provisiontest.Suite{
		Open: func(t *testing.T, o provision.Options) provision.Backend {
			bye := filepath.Dir(o.Agent.Args[len(o.Agent.Args)-1])
			b, err := docker.New(o, docker.Config{Image: name, Options: []string{"-v", bye + ":" + bye},
				Program: "/bin/sh", Dir: "/var/lib/howdah", Docker: "docker"})
			require.NoError(t, err)
			return b
		},
		Read: func(t *testing.T, n provision.Node, file string) string {
			if filepath.IsAbs(file) {
				b, _ := os.ReadFile(file)
				return string(b)
			}
			out, _ := exec.Command("docker", "exec", find(t, n), "cat", n.Dir+"/"+file).Output()
			return string(out)
		},
		Kill: func(t *testing.T, n provision.Node, pid string) {
			// The container exits with its agent, which may interrupt the command. Therefore, the
			// test ignores the command's error.
			_ = exec.Command("docker", "exec", find(t, n), "sh", "-c", "kill -9 "+pid).Run()
		},
		Left: func(t *testing.T, n provision.Node) []string { return strings.Fields(find(t, n)) },
	})
	require.Equal(t, before, run(t, "network", "ls", "-q"))
}

func run(t *testing.T, args ...string) string {
	out, err := exec.Command("docker", args...).Output()
	require.NoError(t, err, args)
	return string(out)
}
