package journal

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
)

// some returns the facts of an MR-cluster's life. Together they use most fields.
func some() []mrcluster.Fact {
	return []mrcluster.Fact{
		{Kind: mrcluster.NodeJoined, Time: 1000, Node: "n1", Addr: "n1:9"},
		{Kind: mrcluster.NodeFreed, Time: 1000, Node: "n1"},
		{Kind: mrcluster.ClusterCreated, Time: 2000, Spec: &mrcluster.Spec{Name: "a", Core: 1, Grow: mrcluster.TransientCore,
			HDFS: true,
			Load: []mrcluster.Copy{{From: "hdfs://x/in", To: "/in"}}, Binary: "/opt/howdah", Conf: []string{"k=v"}}},
		{Kind: mrcluster.ClusterQueued, Time: 3000, Cluster: "a"},
		{Kind: mrcluster.ClusterAdmitted, Time: 3000, Cluster: "a", Deployment: 1},
		{Kind: mrcluster.NodeAssigned, Time: 3000, Node: "n1", Cluster: "a", Deployment: 1, NodeKind: mrcluster.Core,
			Master: true},
		{Kind: mrcluster.NodeUp, Time: 4000, Node: "n1", Cluster: "a"},
		{Kind: mrcluster.ClusterLoading, Time: 4000, Cluster: "a", Deployment: 1},
		{Kind: mrcluster.ClusterActive, Time: 5000, Cluster: "a", Deployment: 1},
		{Kind: mrcluster.Reconfigured, Time: 65_000,
			Shares: []mrcluster.Share{{Cluster: "a", Nodes: 3, Weight: 0.75, Discrimination: -12.5}}},
		{Kind: mrcluster.Measured, Time: 65_000,
			Shares: []mrcluster.Share{{Cluster: "a", Nodes: 3, Weight: 0.75, Discrimination: -12.5, Overall: -40.25}}},
		{Kind: mrcluster.ClusterSized, Time: 65_500, Cluster: "a", Nodes: 4,
			Reason: "an operator requested at least 4 nodes"},
		{Kind: mrcluster.ClusterDoomed, Time: 66_000, Cluster: "a", Discard: true},
		{Kind: mrcluster.ClusterEnded, Time: 66_000, Cluster: "a", Deployment: 1, Reason: "removed without saving"},
	}
}

// TestGolden checks that the format of the journal does not change unnoticed, because people and
// later versions read it.
func TestGolden(t *testing.T) {
	text, err := Encode([]byte(header1), some()...)
	require.NoError(t, err)
	golden.Compare(t, filepath.Join("testdata", "journal.golden"), text)
}

func open(t *testing.T, dir string) (*Journal, []mrcluster.Fact, factlog.Torn) {
	t.Helper()
	var got []mrcluster.Fact
	j, torn, err := Open(dir, "test.dir", nil, func(f *mrcluster.Fact) error {
		got = append(got, *f)
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j, got, torn
}

func appendFacts(t *testing.T, j *Journal, facts ...mrcluster.Fact) {
	t.Helper()
	text, err := Encode(nil, facts...)
	require.NoError(t, err)
	require.NoError(t, j.Append(text))
}

// TestCutAnywhere checks that after a cut at any position, a replay returns the complete facts
// before the cut and the journal can continue.
func TestCutAnywhere(t *testing.T) {
	facts := some()[:3]
	text, err := Encode(nil, facts...)
	require.NoError(t, err)
	for cut := range text {
		dir := t.TempDir()
		j, _, _ := open(t, dir)
		require.NoError(t, j.Append(text[:cut]))
		require.NoError(t, j.Close())
		whole := bytes.Count(text[:cut], []byte("\n"))
		j, got, _ := open(t, dir)
		require.Len(t, got, whole, "cut at %d", cut)
		appendFacts(t, j, facts[2])
		require.NoError(t, j.Close())
		_, got, torn := open(t, dir)
		require.Len(t, got, whole+1)
		require.Zero(t, torn)
	}
}

// TestAManagerStartsFromIt checks that a manager started from the journal has the state of the
// previous manager, even after a snapshot.
func TestAManagerStartsFromIt(t *testing.T) {
	dir := t.TempDir()
	start := func() (*mrcluster.Machine, *Journal) {
		m, err := mrcluster.New(mrcluster.DefaultConfig(), weight.TD{})
		require.NoError(t, err)
		j, _, err := Open(dir, "test.dir", nil, m.Apply)
		require.NoError(t, err)
		return m, j
	}
	m, j := start()
	facts := some()
	for i := range facts[:10] {
		require.NoError(t, m.Apply(&facts[i]))
	}
	appendFacts(t, j, facts[:10]...)
	require.NoError(t, j.Close())
	again, j := start()
	require.Equal(t, m.View(), again.View())
	text, err := Encode(nil, again.Snapshot())
	require.NoError(t, err)
	require.NoError(t, j.Rotate(text))
	require.NoError(t, j.Close())
	third, j := start()
	require.Equal(t, m.View(), third.View())
	require.NoError(t, j.Close())
}

func TestDamage(t *testing.T) {
	for text, want := range map[string]string{
		"something else\n":                                  "not a manager's journal",
		header1 + "{}\n":                                    "contains no fact",
		header1 + "{\"fact\":\"node-up\"}\n":                "refused",
		header1 + "{\"fact\":\"node-eaten\"}\n":             "not a fact of the manager",
		header1 + "{\"fact\":\"node-up\",\"colour\":1}\n":   "unknown field",
		header1 + "\x00\x00\n":                              "invalid character",
		header1 + "{\"fact\":\"node-up\",\"time\":\"x\"}\n": "cannot unmarshal",
	} {
		_, err := Replay(strings.NewReader(text), func(f *mrcluster.Fact) error {
			return errors.New("refused")
		})
		require.ErrorContains(t, err, want, "%q", text)
		require.Equal(t, failure.Corrupt, failure.KindOf(err))
	}
}

func FuzzReplay(f *testing.F) {
	text, err := Encode([]byte(header1), some()...)
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(header1))
	sealed, _ := seal(nil, text[len(header1):], checksum(0, []byte(header2)))
	f.Add(append(append([]byte(header2), sealed...), '\n'))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := mrcluster.New(mrcluster.DefaultConfig(), weight.TD{})
		require.NoError(t, err)
		good, err := Replay(bytes.NewReader(text), m.Apply)
		if err == nil {
			require.LessOrEqual(t, good, int64(len(text)))
		}
		m.View()
	})
}
