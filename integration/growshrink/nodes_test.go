//go:build integration && linux

package growshrink

import (
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// nodeCores is the CPU limit of a node, in cores.
const nodeCores = 0.2

// hasten lets nodes use the whole CPU until slow limits them. Java takes half a minute to start on
// a fifth of a core, and the test starts a hundred DataNodes.
func (s *site) hasten(names ...string) { s.limit(0, names) }

func (s *site) slow(names ...string) { s.limit(nodeCores, names) }

func (s *site) limit(cores float64, names []string) {
	s.Helper()
	for _, name := range names {
		require.NoError(s, netns.SetCores(cgroup.DefaultMount, s.dir, name, cores), name)
	}
}

// joined waits until nodes are up, and then limits their CPU.
func (s *site) joined(what string, names ...string) {
	s.Helper()
	began := time.Now()
	for _, name := range names {
		s.awaitUp(name)
		s.slow(name)
	}
	s.Logf("%s nodes are up after %v", what, time.Since(began).Round(time.Second))
}

var logsFlag = flag.String("logs", "", "directory for the logs of a failed site; \"\" = discard them")

// keepLogs copies the logs that still exist to the directory of the flag -logs.
func keepLogs(t *testing.T, dir string) {
	if *logsFlag == "" {
		return
	}
	for _, pattern := range []string{"nodes/*/agent.log", "nodes/*/agent/deployments/*/logs/*.log",
		"nodes/*/agent/deployments/*/logs/*/*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			to := path.Join(*logsFlag, strings.TrimPrefix(file, dir))
			require.NoError(t, os.MkdirAll(path.Dir(to), 0o755))
			require.NoError(t, os.WriteFile(to, b, 0o644))
		}
	}
}
