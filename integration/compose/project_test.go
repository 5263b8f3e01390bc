//go:build integration

package compose

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

const waitTimeout = 5 * time.Minute

// project is an instance of docker/compose.yaml with its own name. It runs from a copy of the files
// that the images need.
type project struct {
	t       testing.TB
	name    string
	dir     string // folder of compose.yaml
	compose []string
	env     []string
	logs    string          // folder for the commands' output
	seen    map[string]bool // IDs of all containers so far
}

// newProject builds the project's images and, without the flag -base, their base image. When the test
// ends, it removes all of the project's objects and fails the test if any are left.
func newProject(t testing.TB) *project {
	t.Helper()
	if lack := missing(); len(lack) > 0 {
		unavailable(t, "not on this machine: "+strings.Join(lack, "; "))
	}
	name := fmt.Sprintf("howdah-test-%d", os.Getpid())
	base := *ownBase
	p := &project{t: t, name: name, dir: copyContext(t), compose: composeCommand(), logs: t.TempDir(),
		seen: map[string]bool{}}
	if base == "" {
		base = name + "-base"
	}
	p.env = append(os.Environ(), "COMPOSE_PROJECT_NAME="+name, "HOWDAH_IMAGE="+name+"-howdah", "HDFS_IMAGE="+name+"-hdfs",
		"BASE="+base, "HDFS_BASE="+base, "JOBTRACKER_PORT=", "MANAGER_PORT=")
	t.Cleanup(p.takeAway)
	if *ownBase == "" {
		makeBase(t, base)
	}
	p.do("build")
	return p
}

// copyContext copies the images' sources to a directory of the test and returns the copied
// directory of compose.yaml. The build therefore uses no other files of the checkout.
func copyContext(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "docker"), os.DirFS(filepath.Join(root, "docker"))))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	for from, to := range map[string]string{filepath.Join(root, ".dockerignore"): ".dockerignore",
		filepath.Join(root, "LICENSE"): "LICENSE", filepath.Join(root, "NOTICE"): "NOTICE",
		minicluster.Binary(t): "bin/howdah"} {
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), b, 0o755))
	}
	if _, err := exec.LookPath("mvn"); err == nil { // otherwise the image's build fetches Hadoop
		out, err := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(dir, "docker/hdfs/pom.xml"),
			"dependency:copy-dependencies",
			"-DoutputDirectory="+filepath.Join(dir, "bin/hdfs-jars")).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return filepath.Join(dir, "docker")
}

// work returns the folder of the test's files, which clients mount at /here.
func (p *project) work() string { return filepath.Join(filepath.Dir(p.dir), "work") }

// containers returns the project's running containers, or only those of the given service.
func (p *project) containers(service ...string) []string {
	p.t.Helper()
	args := []string{"ps", "-q", "--no-trunc", "--filter", "label=com.docker.compose.oneoff=False", "--filter", p.label()}
	for _, s := range service {
		args = append(args, "--filter", "label=com.docker.compose.service="+s)
	}
	ids := strings.Fields(docker(p.t, args...))
	for _, id := range ids {
		p.seen[id] = true
	}
	return ids
}

func (p *project) label() string { return "label=com.docker.compose.project=" + p.name }

// scale sets the number of TaskTrackers to n and waits until the JobTracker has exactly n.
func (p *project) scale(n int) {
	p.t.Helper()
	p.do("up", "-d", "--scale", fmt.Sprintf("tasktracker=%d", n))
	p.await(fmt.Sprintf("%d TaskTrackers", n), func() bool {
		return len(strings.Fields(p.client("job", "-list-active-trackers").out)) == n
	})
}

func (p *project) await(what string, ok func() bool) {
	p.t.Helper()
	minicluster.Eventually(p.t, waitTimeout, what, ok)
}
