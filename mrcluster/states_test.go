package mrcluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/howdah/howdah/internal/golden"
)

// TestStatesDocument compares docs/reference/pool-states.md with the tables in the code. To write
// the file, run go test ./mrcluster -run TestStatesDocument -rewrite.
func TestStatesDocument(t *testing.T) {
	golden.Compare(t, "../docs/reference/pool-states.md", []byte(statesDocument()))
}

// whenFacts describes when the facts in the tables occur.
var whenFacts = map[FactKind]string{
	ClusterQueued: "a job has arrived, and the MR-cluster waits in the pool's FIFO queue",
	ClusterAdmitted: "the MR-cluster is first in the FIFO queue, and the pool has enough nodes for its core nodes and " +
		"for the core nodes or operator sizes of all deployed MR-clusters",
	ClusterLoading: "the core nodes are up, and the MR-cluster's request names input to load",
	ClusterActive: "the core nodes are up and any input is loaded, or a job arrives while the MR-cluster is saving " +
		"and no user has removed it",
	ClusterSaving: "the MR-cluster has been idle for howdah.mrcluster.idle.ms, or a user removes it",
	ClusterUnsaved: "saving the output fails. The manager retries until a save succeeds, a job arrives, or a user ends " +
		"the MR-cluster with howdah mrcluster remove --discard",
	ClusterRetried: "the master is lost, the deployment fails, or the input cannot be loaded. The manager releases " +
		"all nodes, and the MR-cluster waits again at its previous place in the queue",
	ClusterEnded: "the last job has ended, the JobTracker accepts no more jobs, and any output that the request names " +
		"is saved. An MR-cluster also ends if it fails howdah.mrcluster.attempts times before it becomes active, " +
		"if it fails after a user has removed it, if its input or output does not exist, or if the pool is too " +
		"small for it. Finally, it ends when a user removes it while it is queued or deploying, or removes it " +
		"with --discard. The manager keeps the request until the MR-cluster is removed",
	NodeJoined: "the node's agent reports for the first time, or again after the node was lost",
	NodeFreed:  "the agent reports that no daemon runs on the node", NodeAssigned: "the manager assigns the node " +
		"to an MR-cluster",
	NodeTakenBack: "the node is lost or being cleared, but it still runs its MR-cluster's daemons and may store data",
	NodeUp:        "the node's daemons are up",
	NodeDraining:  "the manager decides that the node must leave its MR-cluster, and that it must drain first",
	NodeKept:      "the MR-cluster needs the node again, or the drain of a node with data takes too long",
	NodeReleased: "the node's drain ends, or the node can leave without a drain. A node without data also " +
		"leaves if it takes too long to drain or start, or if its daemons fail",
	NodeLost: "the node's agent has been silent for howdah.mrcluster.expiry.ms, or for " +
		"howdah.mrcluster.expiry.master.ms if the node is an MR-cluster's master",
}

func statesDocument() string {
	var b strings.Builder
	b.WriteString(`# States of MR-clusters and nodes

This page lists the legal state changes of [MR-clusters](../howto/mr-clusters.md) and nodes. The
manager's state machine rejects every other change. This page is generated from mrcluster/apply.go
and mrcluster/applynode.go by ` + "`go test ./mrcluster -run TestStatesDocument -rewrite`" + `. A test
checks that the page is up to date.

Each change follows from a fact, which the manager records as a line in its journal. The manager
makes the fact durable before other processes can see the change.

`)
	clusters, nodes := []change{{ClusterCreated, "[*]", "defined"}},
		[]change{{NodeJoined, "[*]", "clearing"}, {NodeJoined, "lost", "clearing"}}
	for kind := FactKind(1); kind < numFacts; kind++ {
		for _, from := range clusterSteps[kind].from {
			clusters = append(clusters, change{kind, from.String(), clusterSteps[kind].to.String()})
		}
		for _, from := range nodeSteps[kind].from {
			nodes = append(nodes, change{kind, from.String(), nodeSteps[kind].to.String()})
		}
	}
	clusters = append(clusters, change{ClusterRemoved, "defined", "[*]"})
	nodes = append(nodes, change{NodeForgotten, "lost", "[*]"})
	document(&b, "MR-cluster",
		"The `howdah mrcluster create` command defines an MR-cluster (cluster-created). After\n"+
			"`howdah mrcluster remove`, the manager removes the MR-cluster as soon as it is in the defined state\n"+
			"(cluster-removed). The cluster-retried and cluster-ended facts also change the state of all the\n"+
			"MR-cluster's nodes to clearing. An MR-cluster keeps its core nodes while it is deployed. One of\n"+
			"them, its master, runs the JobTracker. The `howdah mrcluster grow` command sets an MR-cluster's\n"+
			"operator size in any state (cluster-sized).", clusters)
	document(&b, "Node", "A node that is starting, up, or draining belongs to one MR-cluster. Other nodes belong to no\n"+
		"MR-cluster. The manager forgets a node that has been lost for howdah.mrcluster.expiry.master.ms\n"+
		"(node-forgotten), unless a deployed MR-cluster may need data on that node.", nodes)
	return strings.TrimSuffix(b.String(), "\n")
}

// A change is a row of a table.
type change struct {
	fact     FactKind
	from, to string
}

func document(b *strings.Builder, what, note string, changes []change) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n```mermaid\nstateDiagram-v2\n", what, note)
	for _, c := range changes {
		fmt.Fprintf(b, "    %s --> %s: %v\n", c.from, c.to, c.fact)
	}
	b.WriteString("```\n\n| fact | from | to | when |\n|---|---|---|---|\n")
	for len(changes) > 0 {
		c, from := changes[0], []string{}
		for len(changes) > 0 && changes[0].fact == c.fact && changes[0].to == c.to {
			from, changes = append(from, changes[0].from), changes[1:]
		}
		if when := whenFacts[c.fact]; when != "" {
			fmt.Fprintf(b, "| %v | %s | %s | %s |\n", c.fact, strings.TrimPrefix(strings.Join(from, ", "), "[*], "), c.to, when)
		}
	}
	b.WriteString("\n")
}
