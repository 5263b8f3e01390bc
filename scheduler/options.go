package scheduler

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// Setup is what a policy is made from. Policies read no files themselves: the driver does, again when one has changed, and
// then puts a new policy in place of the old one. A bad file makes the constructor fail, and the old policy stays.
type Setup struct {
	Conf  *conf.Config
	Files []File
	// Slots is what all live trackers offer when the files are read, so that a guarantee above it can be refused; 0 = not known.
	Slots [2]int32
}

// File is a file that a policy is configured by.
type File struct {
	Key  string // configuration key that names it
	Path string // for messages; "" = the key is not set
	Data []byte // nil = there is no such file
}

// File gives the file that a key names; its Data is nil if there is none.
func (s *Setup) File(key string) File {
	for _, f := range s.Files {
		if f.Key == key {
			return f
		}
	}
	return File{Key: key}
}

// New makes a policy. An error is of kind Config and names the key, or the file and line.
type New func(Setup) (Policy, error)

// What follows are interfaces that a policy may implement besides Policy.

// Heir is a policy that takes over from the one it replaces what only time can teach: waits, deficits, profiles. It is called
// after Reset. old may be of any type.
type Heir interface{ Inherit(v View, old Policy) }

// Lender is a policy that lets tasks run in slots of the other kind and sees to it that they give way to what they keep waiting. Where
// it replaces another, borrowed slots stay as they are; any other policy gets them back, since it would wait for them for ever.
type Lender interface{ LendsSlots() bool }

// Admitter is a policy with a say in who may do what.
type Admitter interface {
	// Admit refuses a job before it is accepted: no such queue, no right to submit, too many jobs. nil = welcome.
	Admit(v View, s *job.Spec) error
	// Administer refuses that a user kills a job or changes its priority. The job's own user always may.
	Administer(v View, seq int32, user string) error
}

// QueueKeeper is a policy that knows who may use its pools or queues; commands show it.
type QueueKeeper interface {
	// MayUse tells whether a user may submit to a pool or queue, and kill or reorder the jobs of others in it.
	MayUse(v View, queue, user string) (submit, administer bool)
}

// Grouper is a policy that schedules by pools or queues; pages and commands show them.
type Grouper interface {
	// Groups appends all pools or queues to buf, by name.
	Groups(v View, buf []Group) []Group
	// GroupOf names the pool or queue of a job.
	GroupOf(v View, seq int32) string
}

// Group is a pool or queue as people see it. Arrays are indexed by job.Map and job.Reduce; slots count by the type of the task.
type Group struct {
	Name     string
	Jobs     int32 // that run
	Weight   float64
	Min      [2]int32 // guaranteed
	Max      [2]int32 // -1 = no limit
	Fair     [2]int32 // present fair share, or capacity
	Demand   [2]int32
	Running  [2]int32
	Borrowed [2]int32 // running tasks of the type that sit in slots of the other kind
	Memory   bool     // amounts are MiB of maps and reduces together, at job.Map, and not slots of each
}

// ContainerUser is a policy that places tasks by memory and cores and not by slots: it is also asked when a tracker has no
// slot free, as long as some of its memory is.
type ContainerUser interface{ UsesContainers() bool }

// Goal is a policy that schedules by deadlines and knows better than the runtime's own estimate when a job will end.
type Goal interface {
	// Expect gives the time at which a job is expected to end, in milliseconds since the epoch.
	Expect(v View, seq int32) (finish int64, ok bool)
}

// ProgressIgnorer is a policy that can say that it never looks at how far a running attempt is (its Phase, Progress,
// ShuffleDone and SortDone; those of attempts that are over do not count). A simulator need not report progress to it.
type ProgressIgnorer interface{ IgnoresProgress() bool }
