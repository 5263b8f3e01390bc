package mrcluster

import "github.com/howdah/howdah/job/failure"

// InputKind is the kind of an Input.
type InputKind uint8

// The kinds of inputs. The machine answers every input whose Req is not 0 with exactly one
// OutReply.
const (
	InTick   InputKind = iota // time has passed
	InCreate                  // Spec
	InJob                     // Cluster: a client requests it for a job
	InRemove                  // Cluster, Discard: remove it permanently; save its output unless Discard
	InGrow                    // Cluster, Nodes: set the operator size; 0 = only by weight
	InReport                  // Report of an agent
	InSample                  // Cluster, Deployment, Sample
	InLoaded                  // Cluster, Deployment, Err: the answer to OutLoad
	InSaved                   // Cluster, Deployment, Err: the answer to OutSave
)

// Input is an event for the manager.
type Input struct {
	Kind       InputKind
	Now        int64  // milliseconds since the epoch; never decreases
	Req        uint64 // repeated in the reply; 0 = no reply
	Cluster    string
	Deployment int64
	Discard    bool
	Nodes      int
	Err        string // "" = success
	Missing    bool   // InLoaded, InSaved: Err reports a missing source, so a retry would fail again
	Spec       *Spec
	Report     *Report
	Sample     *Sample
}

// Phase is the phase of a node's daemons.
type Phase uint8

// The phases of a node's daemons.
const (
	PhaseStarting Phase = iota
	PhaseUp
	PhaseDrained // the MR-cluster no longer needs the node
)

// Running is the state of an agent's daemons for a deployment.
type Running struct {
	Cluster    string
	Deployment int64
	Phase      Phase
	Left       int64  // number of bytes that a drain still has to move
	Doing      string // what the daemons wait for while they start
	Err        string // why the daemons are not up; "" = unknown, or up
}

// Report is an agent's report about its node. It contains the complete state, so a lost report has
// no lasting effect.
type Report struct {
	Node string // unique within the pool
	Addr string // address of the agent: host:port, or only the host without gossip
	// Agent distinguishes agents with the same name, including earlier agents of the same node. If
	// it is "", Addr distinguishes them.
	Agent string
	Runs  []Running
}

// Desired describes the daemons that a node must run. The agent ends all other daemons and removes
// their data on disk.
type Desired struct {
	Cluster    string // "" = nothing
	Deployment int64
	Kind       Kind
	Master     bool // also run the JobTracker and, if the MR-cluster has its own HDFS, the NameNode
	Drain      bool // accept no new work, move data away, then report PhaseDrained
	Saving     bool // for a master: the MR-cluster is being saved and accepts no new jobs
	// MasterNode and MasterAddr are the name and address of the master's node; "" = unknown.
	MasterNode, MasterAddr string
	Spec                   *Spec
	// For a master, Leaving lists the nodes to drain, and Staying lists the other nodes of its
	// MR-cluster. Neither list contains released nodes. The master must ignore the data on a
	// released node, even if daemons are still running there.
	Leaving, Staying []string
	Coming           Coming // for a master
}

// OutputKind is the kind of an Output.
type OutputKind uint8

// The kinds of outputs. The driver makes all facts of a step durable before it releases the other
// outputs of that step.
const (
	OutFact  OutputKind = iota // Fact
	OutReply                   // Req, and Err or, for InReport, Desired
	OutLoad                    // Cluster, Deployment: load its input, then send InLoaded; repeated after a restart
	// OutSave has Cluster and Deployment. After the deployment's last job has ended, the driver
	// saves its output and sends InSaved. Meanwhile, the MR-cluster accepts no new jobs
	// (Desired.Saving). The machine repeats OutSave after a restart.
	OutSave
)

// Output is a fact, a reply, or a request to the driver.
type Output struct {
	Kind       OutputKind
	Req        uint64
	Cluster    string
	Deployment int64
	Fact       *Fact
	Desired    Desired
	Err        *failure.Error
}
