package mrcluster

import "github.com/howdah/howdah/job/failure"

// InputKind says what an Input is.
type InputKind uint8

// The inputs. Every kind is answered by exactly one OutReply if Req is not 0.
const (
	InTick   InputKind = iota // time has passed
	InCreate                  // Spec
	InJob                     // Cluster: somebody wants to run a job on it
	InRemove                  // Cluster, Discard: save and remove it for good
	InReport                  // Report of an agent
	InSample                  // Cluster, Deployment, Sample
	InLoaded                  // Cluster, Deployment, Err: answer to OutLoad
	InSaved                   // Cluster, Deployment, Err: answer to OutSave
)

// Input is one thing that happens to the manager.
type Input struct {
	Kind       InputKind
	Now        int64  // ms since the epoch; never decreases
	Req        uint64 // repeated in the reply; 0 = no reply wanted
	Cluster    string
	Deployment int64
	Discard    bool
	Err        string // "" = it went well
	Missing    bool   // InLoaded, InSaved: Err is that something is not there which was to be copied; another attempt would find no more
	Spec       *Spec
	Report     *Report
	Sample     *Sample
}

// Phase is how far a node's daemons are.
type Phase uint8

// The phases of what runs on a node.
const (
	PhaseStarting Phase = iota
	PhaseUp
	PhaseDrained // nothing there is needed any more
)

// Running is what an agent runs for a deployment.
type Running struct {
	Cluster    string
	Deployment int64
	Phase      Phase
	Left       int64  // bytes that a drain has still to move
	Doing      string // while it starts: what it waits for
	Err        string // why it is not up; "" = no reason
}

// Report is the state of a node, as its agent sees it. It is absolute, so a lost report costs nothing.
type Report struct {
	Node string // unique in the pool
	Addr string // of the agent: host:port, or the host alone if it does not gossip
	// Agent tells one agent from another of the same name, also from one that ran there before; "" = Addr does.
	Agent string
	Runs  []Running
}

// Desired is what a node should run. Whatever else runs there is to end, and what it left on disk is to go.
type Desired struct {
	Cluster    string // "" = nothing
	Deployment int64
	Kind       Kind
	Master     bool // also JobTracker and, if the MR-cluster has its own HDFS, NameNode
	Drain      bool // take no new work, move data away, then report PhaseDrained
	Saving     bool // for a master: the MR-cluster is about to be given up and takes no new jobs
	// MasterNode and MasterAddr are where the master is, as far as it is known.
	MasterNode, MasterAddr string
	Spec                   *Spec
	// Leaving are, for a master, the nodes that are to be drained, and Staying those that belong to its MR-cluster and are not. A node
	// that was drained and has been given up is neither: its data must not count any more, whatever still runs there.
	Leaving, Staying []string
}

// OutputKind says what an Output is.
type OutputKind uint8

// The outputs. The driver makes all facts of a step durable before it lets any other output of that step out.
const (
	OutFact  OutputKind = iota // Fact
	OutReply                   // Req, Err or Desired (InReport)
	OutLoad                    // Cluster, Deployment: copy its input in, then send InLoaded. Repeated after a restart
	// OutSave: Cluster, Deployment: when its last job has ended, copy its output out, if there is any, then send InSaved. No new
	// job is taken meanwhile (Desired.Saving). Repeated after a restart.
	OutSave
)

// Output is one thing that the manager decided.
type Output struct {
	Kind       OutputKind
	Req        uint64
	Cluster    string
	Deployment int64
	Fact       *Fact
	Desired    Desired
	Err        *failure.Error
}
