package mrcluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/howdah/howdah/internal/golden"
)

// docs/pool-states.md is made from the tables. go test ./mrcluster -run TestStatesDocument -rewrite writes it.
func TestStatesDocument(t *testing.T) {
	golden.Compare(t, "../docs/pool-states.md", []byte(statesDocument()))
}

// whenFacts says when the facts come that change a state.
var whenFacts = map[FactKind]string{
	ClusterQueued:   "a job has come: it waits in the global FIFO",
	ClusterAdmitted: "it is the first of the FIFO and its core nodes are free",
	ClusterLoading:  "its core nodes are up, and it names data to load",
	ClusterActive:   "its core nodes are up and its data is loaded; or there is work again before its nodes are given up",
	ClusterSaving:   "it has had nothing to do for howdah.mrcluster.idle.ms, or is to be removed",
	ClusterUnsaved:  "its output could not be saved: that is tried again, ever more rarely; a job or howdah mrcluster remove --discard ends it",
	ClusterRetried:  "its core nodes or its master failed: all nodes are given up, and it waits again in its old place",
	ClusterEnded:    "its last job has ended, its JobTracker takes no more, and its output is saved, if it names any; or it failed howdah.mrcluster.attempts times, or is removed before it has output. What stays is the request",
	NodeJoined:      "its agent reports for the first time, or again after it was lost",
	NodeFreed:       "its agent says that nothing runs there any more",
	NodeAssigned:    "an MR-cluster gets it",
	NodeTakenBack:   "it was given up and has data of its MR-cluster all the same",
	NodeUp:          "its daemons are up",
	NodeDraining:    "it is to leave its MR-cluster",
	NodeKept:        "it stays after all: its MR-cluster wants it again, or the drain takes too long",
	NodeReleased:    "it has left its MR-cluster, or did not start",
	NodeLost:        "its agent is silent for howdah.mrcluster.expiry.ms",
}

func statesDocument() string {
	var b strings.Builder
	b.WriteString(`# States of MR-clusters and nodes

Made from the tables in mrcluster/apply.go and mrcluster/applynode.go by ` + "`go test ./mrcluster -run TestStatesDocument -rewrite`" + `; a test compares.
The manager's machine refuses every fact that would make a change that is not listed here. A change is a fact, a line in the manager's journal,
so it is durable before anyone hears of it.

`)
	clusters, nodes := []change{{ClusterCreated, "[*]", "defined"}}, []change{{NodeJoined, "[*]", "clearing"}, {NodeJoined, "lost", "clearing"}}
	for kind := FactKind(1); kind < numFacts; kind++ {
		for _, from := range clusterSteps[kind].from {
			clusters = append(clusters, change{kind, from.String(), clusterSteps[kind].to.String()})
		}
		for _, from := range nodeSteps[kind].from {
			nodes = append(nodes, change{kind, from.String(), nodeSteps[kind].to.String()})
		}
	}
	clusters = append(clusters, change{ClusterRemoved, "defined", "[*]"})
	document(&b, "MR-cluster", "When an MR-cluster is given up (cluster-retried, cluster-ended), all its nodes are clearing.", clusters)
	document(&b, "Node", "A node that is starting, up or draining belongs to one MR-cluster, every other to none.", nodes)
	return strings.TrimSuffix(b.String(), "\n")
}

// change is a line of a table.
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
