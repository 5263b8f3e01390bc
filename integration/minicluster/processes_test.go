package minicluster

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cluster's processes do not include those of a cluster in a directory such as "cluster2".
func TestProcessesOfSiblings(t *testing.T) {
	c := &Cluster{Dir: filepath.Join(t.TempDir(), "cluster")}
	found := func(dir string, args ...string) bool {
		cmd := exec.Command("sh", append([]string{"-c", "echo up; read x", "sh"}, args...)...)
		cmd.Dir = dir
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		all := c.Processes()
		in.Close()
		_ = cmd.Wait()
		return strings.HasPrefix(strings.Join(all, "\n"), fmt.Sprint(cmd.Process.Pid, " "))
	}
	for suffix, want := range map[string]bool{"": true, "/logs": true, "2": false, "-2": false, ".old": false} {
		require.NoError(t, os.MkdirAll(c.Dir+suffix, 0o755))
		require.Equal(t, want, found(c.Dir+suffix), "in cluster%s", suffix)
		require.Equal(t, want, found("/", "--dir="+c.Dir+suffix, "more"), "with the argument cluster%s", suffix)
	}
}
