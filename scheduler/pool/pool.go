// Package pool is what the Fair Scheduler and the schedulers built on it share: the allocation file fair-scheduler.xml, the
// pool of a job, fair shares, an index of pools and jobs in fair order, limits on running jobs, delay scheduling, and
// preemption for pools that starve. It follows Hadoop 1.x (org.apache.hadoop.mapred.FairScheduler, PoolManager, Pool).
package pool

import "math"

// Mode is the order in which the jobs of one pool get tasks.
type Mode uint8

// The modes.
const (
	Fair Mode = iota // fewest running tasks for its weight first
	FIFO             // by priority, then by submission
)

// NoLimit is a limit that is never reached.
const NoLimit int32 = math.MaxInt32

// Never is a timeout that never ends.
const Never int64 = math.MaxInt64

// DefaultName is the pool of jobs that name none.
const DefaultName = "default"

// Allocation is what the allocation file says about one pool. Arrays are indexed by job.Map and job.Reduce.
type Allocation struct {
	Name            string
	Weight          float64  // 0 = gets only what others leave
	Min             [2]int32 // tasks that it is guaranteed
	Max             [2]int32 // most running tasks
	MaxJobs         int32    // most running jobs
	Mode            Mode
	MinShareTimeout int64  // ms below the min share until others are preempted
	Preemptable     bool   // its tasks may be killed for others
	Redirect        string // another pool that takes its jobs; "" = none

	line int // of the allocation file
}

// Allocations is a whole allocation file. It is not changed once it is in use.
type Allocations struct {
	Pools            []Allocation // by name
	Users            []User       // by name
	Default          Allocation   // of pools that are not named
	UserMaxJobs      int32        // of users that are not named
	FairShareTimeout int64        // ms below half of the fair share until others are preempted
	Rules            []Rule       // poolPlacementPolicy; nil = by property
}

// User is what the file says about one user.
type User struct {
	Name    string
	MaxJobs int32

	line int
}

// noAllocations is what holds without a file.
func noAllocations() *Allocations {
	return &Allocations{
		Default:     Allocation{Weight: 1, Max: [2]int32{NoLimit, NoLimit}, MaxJobs: NoLimit, MinShareTimeout: Never, Preemptable: true},
		UserMaxJobs: NoLimit, FairShareTimeout: Never,
	}
}

// Of gives what holds for a pool, named in the file or not.
func (a *Allocations) Of(name string) Allocation {
	if i, ok := a.find(name); ok {
		return a.Pools[i]
	}
	p := a.Default
	p.Name = name
	return p
}

// MaxJobsOf gives the most jobs of a user that may run at once.
func (a *Allocations) MaxJobsOf(user string) int32 {
	for i := range a.Users {
		if a.Users[i].Name == user {
			return a.Users[i].MaxJobs
		}
	}
	return a.UserMaxJobs
}

// limitsJobs reports whether any limit on running jobs is set.
func (a *Allocations) limitsJobs() bool {
	if a.UserMaxJobs != NoLimit || a.Default.MaxJobs != NoLimit || len(a.Users) > 0 {
		return true
	}
	for i := range a.Pools {
		if a.Pools[i].MaxJobs != NoLimit {
			return true
		}
	}
	return false
}

// timeouts reports whether any pool may be owed tasks after a time.
func (a *Allocations) timeouts() bool {
	if a.FairShareTimeout != Never || a.Default.MinShareTimeout != Never {
		return true
	}
	for i := range a.Pools {
		if a.Pools[i].MinShareTimeout != Never {
			return true
		}
	}
	return false
}
