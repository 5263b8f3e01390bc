package testpool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

// Facts returns the facts in the manager's journal, which must be a single file.
func (p *Pool) Facts() (facts []mrcluster.Fact) {
	p.t.Helper()
	files, _ := filepath.Glob(filepath.Join(p.managerDir(), "journal-*.facts"))
	require.Len(p.t, files, 1)
	f, err := os.Open(files[0])
	require.NoError(p.t, err)
	defer f.Close()
	_, err = journal.Replay(f, func(f *mrcluster.Fact) error {
		facts = append(facts, *f)
		return nil
	})
	require.NoError(p.t, err)
	return facts
}

// Audit checks the facts in a journal independently of the manager, and returns descriptions of the
// violations. It is a violation if an MR-cluster uses a node that belongs to another MR-cluster, if
// an MR-cluster's share is smaller than its core, or if a core node leaves because its MR-cluster
// shrinks.
func Audit(facts []mrcluster.Fact) (wrong []string) {
	a := audit{core: map[string]int{}, held: map[string]holding{}}
	for i := range facts {
		if why := a.fact(&facts[i]); why != "" {
			wrong = append(wrong, fmt.Sprintf("fact %d, %s %s %s: %s", i+1, facts[i].Kind, facts[i].Cluster, facts[i].Node, why))
		}
	}
	return wrong
}

type audit struct {
	core map[string]int     // core size of each request, by MR-cluster
	held map[string]holding // by node
}

type holding struct {
	cluster    string
	deployment int64
	kind       mrcluster.Kind
}

func (a *audit) fact(f *mrcluster.Fact) string {
	has := a.held[f.Node]
	switch f.Kind {
	case mrcluster.ClusterCreated:
		a.core[f.Spec.Name] = f.Spec.Core
	case mrcluster.ClusterEnded, mrcluster.ClusterRetried:
		for node, h := range a.held {
			if h.cluster == f.Cluster {
				delete(a.held, node)
			}
		}
	case mrcluster.NodeAssigned, mrcluster.NodeTakenBack:
		a.held[f.Node] = holding{f.Cluster, f.Deployment, f.NodeKind}
		if has.cluster != "" {
			return "the node belongs to " + has.cluster
		}
	case mrcluster.NodeUp, mrcluster.NodeDraining, mrcluster.NodeKept:
		if has.cluster != f.Cluster {
			return "the node belongs to " + has.cluster
		}
		if f.Kind == mrcluster.NodeDraining && has.kind == mrcluster.Core && strings.Contains(f.Reason, "shrinks") {
			return "it is a core node"
		}
	case mrcluster.NodeReleased:
		delete(a.held, f.Node)
		if has.kind == mrcluster.Core && strings.Contains(f.Reason, "shrinks") {
			return "it is a core node"
		}
	case mrcluster.NodeLost:
		delete(a.held, f.Node)
	case mrcluster.RoomMade, mrcluster.Reconfigured:
		for _, s := range f.Shares {
			if s.Nodes < a.core[s.Cluster] {
				return fmt.Sprintf("%s shall have %d nodes and its core is %d", s.Cluster, s.Nodes, a.core[s.Cluster])
			}
		}
	}
	return ""
}
