// Package orchestrator implements MROrchestrator, which moves CPU and memory between the running
// tasks on a node. Local runs in every TaskTracker. It profiles the tasks and estimates their
// needs. Global runs in the JobTracker. It detects tasks with too few resources and tasks that hog
// resources, and makes decisions based on all nodes. Neither performs I/O. A driver supplies
// samples, messages, and the time.
//
// In an epoch, the two exchange four messages, which are sent with heartbeats: Shares with the
// usage, the contention detector's Advice, Shares with the estimates, and the Limits that result
// from decisions. Every message is complete, so a lost or repeated message causes only a delay.
//
// PAPER.md maps the parts of the paper to this package.
package orchestrator

import "github.com/howdah/howdah/job/heartbeat"

// Package heartbeat defines these types because heartbeats contain them.
type (
	Resource = heartbeat.Resource
	Vector   = heartbeat.Vector
)

// The resources of the paper (section III).
const (
	CPU          = heartbeat.CPU
	Memory       = heartbeat.Memory
	NumResources = heartbeat.NumResources
)

// Million is 100% as a share. Shares are in millionths.
const Million = 1_000_000

// share returns x divided by of, in millionths. If of is not positive, share returns Million.
func share(x, of int64) int64 {
	if of <= 0 {
		return Million
	}
	return int64(float64(x) / float64(of) * Million)
}

// part returns the part of x that is the given number of millionths.
func part(x, millionths int64) int64 { return int64(float64(x) * float64(millionths) / Million) }
