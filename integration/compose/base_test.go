//go:build integration

package compose

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// release is the Debian release with the Java version that Hadoop needs.
const release = "bookworm"

// makeBase creates an image of a minimal Debian system, so that the test needs no image registry.
func makeBase(t testing.TB, image string) {
	t.Helper()
	// The system contains device files, which the mount options of /tmp may forbid.
	dir, err := os.MkdirTemp("/var/tmp", "howdah-base-")
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(dir)) }()
	root := filepath.Join(dir, "root")
	// All mounts below root disappear with the mount namespace, even after a failure.
	if out, err := exec.Command("unshare", "--mount", "debootstrap", "--variant=minbase", release,
		root).CombinedOutput(); err != nil {
		unavailable(t, "no base: debootstrap: "+err.Error()+": "+tail(string(out), 1000))
	}
	for _, cache := range []string{"var/cache/apt/archives", "var/lib/apt/lists"} {
		require.NoError(t, os.RemoveAll(filepath.Join(root, cache)))
		require.NoError(t, os.Mkdir(filepath.Join(root, cache), 0o755))
	}
	pack := exec.Command("tar", "-C", root, "-c", ".")
	load := exec.Command("docker", "import", "-", image)
	load.Stdin, err = pack.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, pack.Start())
	out, err := load.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, pack.Wait())
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
