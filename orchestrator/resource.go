// Package orchestrator is MROrchestrator: it moves CPU and memory between the tasks of a node while they run. Local, in every
// TaskTracker, profiles its tasks and estimates what they need; Global, in the JobTracker, finds who has too little and who
// hogs, and decides with all nodes in sight. Both are pure machines: a driver gives them samples, messages and the time.
//
// An epoch is four messages that travel with beats: a Report of usage, the Advice of the contention detector, a Report with
// what the estimators want, and Decisions. Every message is complete, so a lost or repeated one costs nothing but time.
//
// PAPER.md says where in the paper each part stands.
package orchestrator

// Resource is what is moved between tasks.
type Resource uint8

// The resources of the paper (section III).
const (
	CPU    Resource = iota // thousandths of a core
	Memory                 // MiB
	NumResources
)

func (r Resource) String() string {
	if r == CPU {
		return "cpu"
	}
	return "memory"
}

// Unit is what an amount of the resource is counted in.
func (r Resource) Unit() string {
	if r == CPU {
		return "m"
	}
	return "MiB"
}

// Vector is an amount of each resource, at least 0.
type Vector [NumResources]int64

// Million is a whole, where shares are counted in millionths.
const Million = 1_000_000

// share gives x/of in millionths; of nothing everything is the same: a whole.
func share(x, of int64) int64 {
	if of <= 0 {
		return Million
	}
	return int64(float64(x) / float64(of) * Million)
}

// part gives so many millionths of x.
func part(x, millionths int64) int64 { return int64(float64(x) * float64(millionths) / Million) }
