//go:build integration

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// command runs a program in dir and returns its output. env extends the environment.
func command(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// builds checks that make can build and run the program in module, which comes from "howdah new".
func builds(t *testing.T, module string, env []string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(module, "in"), []byte("to be or\nnot to be\n"), 0o600))
	message, err := command(t, module, env, "make", "run", "IN=in", "OUT=out")
	require.NoError(t, err, message)
	out, err := os.ReadFile(filepath.Join(module, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "be\t2\nnot\t1\nor\t1\nto\t2\n", string(out))
}

// A module from "howdah new" uses the checkout that contains the program.
func TestNewJobFromACheckout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := command(t, dir, nil, minicluster.Binary(t), "new", "word-stats")
	require.NoError(t, err, out)
	require.Contains(t, out, "Next: cd word-stats && make test && make && ./word-stats IN... OUT\n")
	message, err := command(t, filepath.Join(dir, "word-stats"), nil, "make", "test")
	require.NoError(t, err, message)
	builds(t, filepath.Join(dir, "word-stats"), nil)
	out, err = command(t, dir, nil, minicluster.Binary(t), "new", "word-stats")
	require.Error(t, err)
	require.Contains(t, out, "the directory is not empty")
}

// A module from "howdah new" can use a version from Go's module proxy. The proxy of this test has the
// checkout's last commit.
func TestNewJobFromAProxy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	howdah := filepath.Join(dir, "howdah") // outside the checkout
	binary, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(howdah, binary, 0o700))

	versions := filepath.Join(dir, "proxy", "github.com", "howdah", "howdah", "@v")
	require.NoError(t, os.MkdirAll(versions, 0o700))
	archive := []string{"archive", "--format=zip", "--prefix=github.com/howdah/howdah@v0.1.0/", "-o",
		filepath.Join(versions, "v0.1.0.zip"), "HEAD", "."}
	nested, err := command(t, "..", nil, "git", "ls-files", "*/go.mod")
	require.NoError(t, err, nested)
	for file := range strings.FieldsSeq(nested) { // other modules, which a proxy leaves out
		archive = append(archive, ":(exclude)"+filepath.Dir(file))
	}
	out, err := command(t, "..", nil, "git", archive...)
	require.NoError(t, err, out)
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	for name, content := range map[string]string{"list": "v0.1.0\n", "v0.1.0.info": `{"Version":"v0.1.0"}`,
		"v0.1.0.mod": string(mod)} {
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), []byte(content), 0o600))
	}
	cache, err := command(t, dir, nil, "go", "env", "GOMODCACHE")
	require.NoError(t, err)
	env := []string{"GOSUMDB=off", "GOFLAGS=-modcacherw", "GOMODCACHE=" + filepath.Join(dir, "cache"),
		"GOPROXY=file://" + filepath.Join(dir, "proxy") + ",file://" + strings.TrimSpace(cache) + "/cache/download"}

	out, err = command(t, dir, env, howdah, "new", "--howdah", "v0.1.0", "wordstats")
	require.NoError(t, err, out)
	builds(t, filepath.Join(dir, "wordstats"), env)
}
