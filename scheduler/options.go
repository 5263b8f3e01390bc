package scheduler

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// A Setup is the input of a policy's constructor. Policies read no files themselves. The driver
// reads the files, and replaces the policy when it reads changed files. If a file is invalid, the
// constructor returns an error and the old policy remains active.
type Setup struct {
	Conf  *conf.Config
	Files []File
	// Slots is the number of slots of all live trackers when the driver reads the files; 0 means
	// unknown. A policy whose files guarantee slots rejects guarantees above this number.
	Slots [2]int32
}

// A File is a configuration file of a policy.
type File struct {
	Key  string // configuration key that names the file
	Path string // for messages; "" = the key does not name a file
	Data []byte // nil = the file does not exist
}

// File returns the file that the key names. If the file does not exist, its Data is nil.
func (s *Setup) File(key string) File {
	for _, f := range s.Files {
		if f.Key == key {
			return f
		}
	}
	return File{Key: key}
}

// New is the constructor of a policy. Errors are of kind Config and name the key, or the file and
// line.
type New func(Setup) (Policy, error)

// A policy can implement any of the following interfaces.

// An Heir is a policy that takes over state from its predecessor, such as waits, deficits, and
// profiles, which build up only over time. The machine calls Inherit after Reset. old can be of any
// type.
type Heir interface{ Inherit(v View, old Policy) }

// A Lender is a policy that can run tasks in slots of the other kind, and frees those slots if the
// tasks delay others. LendsSlots reports whether it does so with its current settings. If it
// returns true, tasks keep their borrowed slots when the policy is installed. Otherwise, the machine
// kills the tasks in borrowed slots, because the new policy could wait for the slots forever.
type Lender interface{ LendsSlots() bool }

// An Admitter is a policy that decides which jobs to admit.
type Admitter interface {
	// Admit returns an error if the policy rejects a new job, for example because the queue is
	// unknown or already has too many jobs. The JobTracker itself checks who may submit to a queue.
	Admit(v View, s *job.Spec) error
}

// A Grouper is a policy that schedules by pools or queues. Pages and commands display them.
type Grouper interface {
	// Groups appends all pools or queues to buf, sorted by name.
	Groups(v View, buf []Group) []Group
	// GroupOf returns the name of the job's pool or queue.
	GroupOf(v View, seq int32) string
}

// A Group describes a pool or queue for pages and commands. job.Map and job.Reduce index its
// arrays. A slot counts toward the type of the task that occupies it.
type Group struct {
	Name     string
	Jobs     int32 // running jobs
	Weight   float64
	Min      [2]int32 // guaranteed
	Max      [2]int32 // -1 = no limit
	Fair     [2]int32 // current fair share or capacity
	Demand   [2]int32
	Running  [2]int32
	Borrowed [2]int32 // running tasks of the type that occupy slots of the other kind
	Memory   bool     // amounts are in MiB instead of slots, for maps and reduces together, at index job.Map
}

// A ContainerUser is a policy that assigns tasks by memory and cores instead of slots. The machine
// also calls Assign when a tracker has free memory but no free slot.
type ContainerUser interface{ UsesContainers() bool }

// UsesContainers reports whether the policy is a ContainerUser that uses containers.
func UsesContainers(p Policy) bool {
	c, ok := p.(ContainerUser)
	return ok && c.UsesContainers()
}

// A Goal is a policy that schedules by deadlines. It predicts the end of a job better than the
// runtime's own estimate.
type Goal interface {
	// Expect returns the predicted end of a job, in milliseconds since the Unix epoch. ok is false
	// if the policy cannot predict it.
	Expect(v View, seq int32) (finish int64, ok bool)
}

// A ProgressIgnorer is a policy that does not use the progress of running attempts (Phase,
// Progress, ShuffleDone, SortDone). It may use these fields of finished attempts. For such a policy,
// a simulator can omit the progress of running attempts.
type ProgressIgnorer interface{ IgnoresProgress() bool }

// A ProfileIgnorer is a policy that does not read the profiles in the jobs' settings
// (howdah.job.profile). For such a policy, a simulator can omit the profiles that it would compute
// from the trace.
type ProfileIgnorer interface{ IgnoresProfiles() bool }
