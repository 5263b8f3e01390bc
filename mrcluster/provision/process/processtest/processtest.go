// Package processtest provides the functions of a provisiontest.Suite for a back end whose nodes
// are processes on this machine.
package processtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/process"
)

// Read returns the content of a node's file. The name may be absolute.
func Read(_ *testing.T, n provision.Node, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(n.Dir, file)
	}
	b, _ := os.ReadFile(file)
	return string(b)
}

// Kill kills a process with SIGKILL.
func Kill(t *testing.T, _ provision.Node, pid string) {
	number, err := strconv.Atoi(pid)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(number, syscall.SIGKILL))
}

// Left returns the remaining processes of a node, and its directory if it still exists.
func Left(_ *testing.T, n provision.Node) []string {
	var left []string
	for _, pid := range process.Members(n.Dir) {
		left = append(left, fmt.Sprint("process ", pid))
	}
	if _, err := os.Lstat(n.Dir); err == nil {
		left = append(left, n.Dir)
	}
	return left
}
