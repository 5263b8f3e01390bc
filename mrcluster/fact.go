package mrcluster

import "fmt"

// FactKind says what a Fact tells.
type FactKind uint8

// The facts. Their names are what the journal holds.
const (
	ClusterCreated  FactKind = iota + 1 // Spec
	ClusterQueued                       // a job has come: it waits in the global FIFO
	ClusterAdmitted                     // its minimum share is reserved; Deployment
	ClusterLoading                      // its core is up: its input is being loaded
	ClusterActive                       // it runs jobs
	ClusterDoomed                       // it is to be removed for good; Discard = without saving
	ClusterSaving                       // nothing to do any more: its output is being saved
	ClusterRetried                      // it failed: its nodes are given up, and it waits again, in its old place
	ClusterEnded                        // its nodes are given up; what is left is the request
	ClusterRemoved                      // forgotten
	NodeJoined                          // an agent has come; what it runs must end first
	NodeFreed                           // it runs nothing
	NodeAssigned                        // Cluster, Deployment, NodeKind, Master
	NodeTakenBack                       // it was given up and has data all the same: as assigned and up
	NodeUp                              // its daemons are up
	NodeDraining                        // it is leaving its MR-cluster
	NodeKept                            // it stays after all
	NodeReleased                        // it belongs to nobody; what it runs must end
	NodeLost                            // its agent is silent for too long
	RoomMade                            // Shares: less for some, since others lack core nodes
	Reconfigured                        // Shares: what everybody shall have, by weight
	Snapshot                            // State: all that was before, the first of a journal
	NodeForgotten                       // it was lost, and has not come back
	ClusterUnsaved                      // its output could not be saved, and this is tried again
	Measured                            // Shares: weights and discrimination at the end of an interval
	numFacts
)

var factNames = [numFacts]string{"", "cluster-created", "cluster-queued", "cluster-admitted", "cluster-loading", "cluster-active", "cluster-doomed",
	"cluster-saving", "cluster-retried", "cluster-ended", "cluster-removed", "node-joined", "node-freed", "node-assigned", "node-taken-back", "node-up", "node-draining", "node-kept",
	"node-released", "node-lost", "room-made", "reconfigured", "snapshot", "node-forgotten",
	"cluster-unsaved", "measured"}

func (k FactKind) String() string { return factNames[min(int(k), len(factNames)-1)] }

// MarshalText gives the name.
func (k FactKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name.
func (k *FactKind) UnmarshalText(text []byte) error {
	for i, name := range factNames {
		if i > 0 && name == string(text) {
			*k = FactKind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no fact of the manager", text)
}

// Fact is one thing that the manager has decided or learnt. Facts in their order rebuild its durable state.
type Fact struct {
	Kind       FactKind `json:"fact"`
	Time       int64    `json:"time"` // ms since the epoch
	Cluster    string   `json:"cluster,omitempty"`
	Deployment int64    `json:"deployment,omitempty"`
	Node       string   `json:"node,omitempty"`
	NodeKind   Kind     `json:"kind,omitempty"`
	Master     bool     `json:"master,omitempty"`
	Addr       string   `json:"addr,omitempty"`
	Discard    bool     `json:"discard,omitempty"`
	Drained    bool     `json:"drained,omitempty"` // a released node holds nothing that is needed
	Spec       *Spec    `json:"spec,omitempty"`
	Shares     []Share  `json:"shares,omitempty"`
	State      *State   `json:"state,omitempty"`
	Reason     string   `json:"reason,omitempty"`
}

// Share is what an MR-cluster shall have from a reconfiguration on, and why.
type Share struct {
	Cluster        string  `json:"cluster"`
	Nodes          int     `json:"nodes"`
	Weight         float64 `json:"weight"`            // w_i
	Discrimination float64 `json:"discrimination"`    // D_i in s
	Overall        float64 `json:"overall,omitempty"` // since the request, in s
}
