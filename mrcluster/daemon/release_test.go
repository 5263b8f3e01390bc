package daemon

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

var recordFlag = flag.String("record", "", "VERSION whose journal TestJournalsOfReleases records")

// A manager opens the journals of every release and finds their state. Each release adds a folder
// with its journal, which nobody may change afterward. CONTRIBUTING.md describes how to record it.
func TestJournalsOfReleases(t *testing.T) {
	if *recordFlag != "" {
		recordJournal(t, filepath.Join("testdata/releases", *recordFlag))
	}
	golden.Releases(t, "testdata/releases/*", func(t *testing.T, dir string) string {
		m, j := opened(t, dir)
		// The manager replaces the journal by a snapshot in its own format.
		snapshot, err := journal.Encode(nil, m.Snapshot())
		require.NoError(t, err)
		require.NoError(t, j.Rotate(snapshot))
		require.NoError(t, j.Close())
		return stateText(m)
	})
}

// opened returns a machine and the open journal from which it is rebuilt.
func opened(t *testing.T, dir string) (*mrcluster.Machine, *journal.Journal) {
	cfg := testConfig(dir)
	m, err := mrcluster.New(cfg.Machine, cfg.Weighting)
	require.NoError(t, err)
	j, torn, err := journal.Open(dir, "test.dir", nil, m.Apply)
	require.NoError(t, err)
	require.Zero(t, torn)
	return m, j
}

// stateText describes the state of a machine. The text of an earlier release must not change, so
// this function must not show anything that a later version adds.
func stateText(m *mrcluster.Machine) string {
	var b strings.Builder
	v := m.View()
	fmt.Fprintf(&b, "%d reconfigurations, queue %v\n", v.Reconfigurations, v.Queue)
	for _, c := range v.Clusters {
		s := c.Spec
		fmt.Fprintf(&b, "%s %v since %d deployment %d target %d cores %d held %d leaving %d master %q doomed %v\n", s.Name,
			c.State, c.Since, c.Deployment, c.Target, c.Cores, c.Held, c.Leaving, c.Master, c.Doomed)
		fmt.Fprintf(&b, "  core %d grow %v hdfs %v load %v save %v binary %q conf %v\n", s.Core, s.Grow, s.HDFS, s.Load,
			s.Save, s.Binary, s.Conf)
	}
	for _, n := range v.Nodes {
		fmt.Fprintf(&b, "%s %v since %d in %q %v master %v\n", n.Name, n.State, n.Since, n.Cluster, n.Kind, n.Master)
	}
	return b.String()
}

// recordJournal writes the journal of a pool with two MR-clusters that compete for nodes.
func recordJournal(t *testing.T, dir string) {
	require.NoDirExists(t, dir, "the journal of a release never changes")
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 6, nil)
		w.create(mrcluster.Spec{Name: "a", Core: 2, Grow: mrcluster.Transient, Binary: "/opt/howdah", Conf: []string{"k=v"},
			Load: []mrcluster.Copy{{From: "/x", To: "/in"}}, Save: []mrcluster.Copy{{From: "/out", To: "/y"}}})
		w.create(mrcluster.Spec{Name: "b", Core: 2, Grow: mrcluster.TransientCore, HDFS: true})
		w.create(mrcluster.Spec{Name: "idle", Core: 1})
		w.create(mrcluster.Spec{Name: "removed", Core: 1})
		w.run("a", 150)
		w.eventually("a to grow", func() bool { return w.status("a").Held > 3 })
		w.remove("removed")
		w.run("b", 120)
		w.ask("idle")
		w.eventually("b to be up", func() bool { return w.status("b").Held >= 2 })
		w.end()
		file, err := factlog.Newest(w.dir)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644))
	})
	m, j := opened(t, dir)
	require.NoError(t, j.Close())
	require.NoError(t, os.Remove(filepath.Join(dir, dirlock.Name)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.txt"), []byte(stateText(m)), 0o644))
}
