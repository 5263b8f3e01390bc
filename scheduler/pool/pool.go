// Package pool contains the parts that the Fair Scheduler shares with schedulers based on it. It
// follows Hadoop 1.x (org.apache.hadoop.mapred.FairScheduler, PoolManager, Pool). Start with Read
// and NewIndex. The parts are:
//
//   - The fair-scheduler.xml allocation file and the pool of a job.
//   - Fair shares, and an index of pools and jobs in fair order.
//   - Limits on running jobs, delay scheduling, and preemption for pools that starve.
package pool

import "math"

// A Mode is the order in which the jobs of a pool get tasks.
type Mode uint8

// The modes of a pool.
const (
	Fair Mode = iota // fewest running tasks relative to weight first
	FIFO             // by priority, then by submission
)

// NoLimit is a limit that is never reached.
const NoLimit int32 = math.MaxInt32

// Never is a timeout that never expires.
const Never int64 = math.MaxInt64

// DefaultName is the pool of jobs for which the settings find no other pool.
const DefaultName = "default"

// An Allocation holds the settings of one pool from the allocation file. job.Map and job.Reduce
// index its arrays.
type Allocation struct {
	Name            string
	Weight          float64  // 0 = gets only slots that other pools leave unused
	Min             [2]int32 // guaranteed slots
	Max             [2]int32 // maximum number of slots for running tasks
	MaxJobs         int32    // maximum number of running jobs
	Mode            Mode
	MinShareTimeout int64  // time below the min share before other pools are preempted, in ms
	Preemptable     bool   // preemption may kill its tasks
	Redirect        string // name of the pool that gets its jobs instead; "" = none

	line int // line in the allocation file; 0 = not listed
}

// Allocations holds the content of an allocation file. Do not change it once in use.
type Allocations struct {
	Pools            []Allocation // by name
	Users            []User       // by name
	Default          Allocation   // for pools that are not listed
	UserMaxJobs      int32        // for users that are not listed
	FairShareTimeout int64        // time below half of the fair share before other pools are preempted, in ms
	Rules            []Rule       // poolPlacementPolicy; nil = by property
}

// A User holds the settings of one user.
type User struct {
	Name    string
	MaxJobs int32

	line int
}

// noAllocations returns the settings that apply without an allocation file.
func noAllocations() *Allocations {
	return &Allocations{
		Default: Allocation{Weight: 1, Max: [2]int32{NoLimit, NoLimit}, MaxJobs: NoLimit, MinShareTimeout: Never,
			Preemptable: true},
		UserMaxJobs: NoLimit, FairShareTimeout: Never,
	}
}

// Of returns the settings of the named pool. A pool that the allocation file does not list has the
// default settings.
func (a *Allocations) Of(name string) Allocation {
	if i, ok := a.find(name); ok {
		return a.Pools[i]
	}
	p := a.Default
	p.Name = name
	return p
}

// MaxJobsOf returns how many jobs of the user may run concurrently.
func (a *Allocations) MaxJobsOf(user string) int32 {
	for i := range a.Users {
		if a.Users[i].Name == user {
			return a.Users[i].MaxJobs
		}
	}
	return a.UserMaxJobs
}

// LimitsJobs reports whether there may be a limit on running jobs.
func (a *Allocations) LimitsJobs() bool {
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

// timeouts reports whether any pool can preempt others after a timeout.
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
