package mrcluster

import "fmt"

// FactKind is the kind of a Fact.
type FactKind uint8

// The kinds of facts. The journal contains their names.
const (
	ClusterCreated  FactKind = iota + 1 // Spec
	ClusterQueued                       // a job has requested the MR-cluster, which waits in the global FIFO
	ClusterAdmitted                     // Deployment; the minimum share is reserved
	ClusterLoading                      // the core is up and the input is loading
	ClusterActive                       // the MR-cluster runs jobs
	ClusterDoomed                       // Discard (without saving); the MR-cluster is to be removed permanently
	ClusterSaving                       // the MR-cluster is idle or doomed, and its output is being saved
	ClusterRetried                      // the deployment failed; its MR-cluster waits at its old position
	ClusterEnded                        // the nodes are released and only the request remains
	ClusterRemoved                      // the request is deleted
	NodeJoined                          // an agent has joined; its node must first end all daemons
	NodeFreed                           // the node runs no daemons
	NodeAssigned                        // Cluster, Deployment, NodeKind, Master
	NodeTakenBack                       // a lost or released node that may store data is assigned and up again
	NodeUp                              // the node's daemons are up
	NodeDraining                        // the node is leaving its MR-cluster
	NodeKept                            // the node's drain is canceled
	NodeReleased                        // the node has left its MR-cluster and must end all daemons
	NodeLost                            // the node's agent was silent for too long
	RoomMade                            // Shares: lower targets, because other MR-clusters lack core nodes
	Reconfigured                        // Shares: new targets by weight
	Snapshot                            // State: the result of all earlier facts; the first fact of a journal
	NodeForgotten                       // a lost node has not returned
	ClusterUnsaved                      // saving the output failed; a retry follows
	Measured                            // Shares: weights and discrimination at the end of an interval
	ClusterSized                        // Nodes: the new operator size; 0 = only by weight
	numFacts
)

var factNames = [numFacts]string{"", "cluster-created", "cluster-queued", "cluster-admitted", "cluster-loading",
	"cluster-active", "cluster-doomed",
	"cluster-saving", "cluster-retried", "cluster-ended", "cluster-removed", "node-joined", "node-freed", "node-assigned",
	"node-taken-back", "node-up", "node-draining", "node-kept",
	"node-released", "node-lost", "room-made", "reconfigured", "snapshot", "node-forgotten",
	"cluster-unsaved", "measured", "cluster-sized"}

func (k FactKind) String() string { return factNames[min(int(k), len(factNames)-1)] }

// MarshalText returns the name of the kind.
func (k FactKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses the name of a kind.
func (k *FactKind) UnmarshalText(text []byte) error {
	for i, name := range factNames {
		if i > 0 && name == string(text) {
			*k = FactKind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not a fact of the manager", text)
}

// Fact is a decision or observation of the manager. The facts in their order are enough to rebuild
// the manager's durable state.
type Fact struct {
	Kind       FactKind `json:"fact"`
	Time       int64    `json:"time"` // milliseconds since the epoch
	Cluster    string   `json:"cluster,omitempty"`
	Deployment int64    `json:"deployment,omitempty"`
	Node       string   `json:"node,omitempty"`
	NodeKind   Kind     `json:"kind,omitempty"`
	Master     bool     `json:"master,omitempty"`
	Addr       string   `json:"addr,omitempty"`
	Discard    bool     `json:"discard,omitempty"`
	Nodes      int      `json:"nodes,omitempty"`
	Drained    bool     `json:"drained,omitempty"` // the released node stores no needed data
	Spec       *Spec    `json:"spec,omitempty"`
	Shares     []Share  `json:"shares,omitempty"`
	State      *State   `json:"state,omitempty"`
	Reason     string   `json:"reason,omitempty"`
}

// Share is an MR-cluster's target number of nodes, with its weight and discrimination.
type Share struct {
	Cluster        string  `json:"cluster"`
	Nodes          int     `json:"nodes"`
	Weight         float64 `json:"weight"`            // w_i
	Discrimination float64 `json:"discrimination"`    // D_i in s
	Overall        float64 `json:"overall,omitempty"` // since the request, in seconds
}
