package cgroup

// hierarchy is a version of the kernel's control group interface. Paths of groups start with a
// slash and are relative to the root of the hierarchy.
type hierarchy interface {
	mode() string
	// limitsProcesses reports whether limitProcesses has an effect.
	limitsProcesses() bool
	// prepare creates a group that will contain only groups. The group may exist already.
	prepare(path string) error
	// create creates a group with limits that check has accepted.
	create(path string, l Limits) (control, error)
	// open returns the group at a path. The group need not exist.
	open(path string) control
	// folders returns a group's folder in every hierarchy.
	folders(path string) []string
	// dir returns one of a group's folders: the one that prepare creates first and remove deletes
	// last.
	dir(path string) string
}

// control is a group in the kernel. If the group does not exist, the methods that access its files,
// except sources and remove, return an error that wraps fs.ErrNotExist.
type control interface {
	// set sets the limits. before contains the limits that were set last. set may skip a limit that
	// has the same value in before. If before is nil, set writes all limits.
	set(l Limits, before *Limits) error
	limits() (Limits, error)
	// limitProcesses sets the maximum number of processes and threads.
	limitProcesses(n int64) error
	usage() (Usage, error)
	// kills returns Usage.OOMKills.
	kills() (int64, error)
	// memory returns Usage.Memory.
	memory() (int64, error)
	// sources returns the kernel's files that contain the values of a Reading.
	sources() []source
	join(pid int) error
	// processes lists the processes in the group itself, but not those in groups below it.
	processes() ([]int, error)
	// kill sends SIGKILL to every process in the group.
	kill() error
	// remove removes the group. It returns nil if the group is missing, and an error if the group
	// contains processes.
	remove() error
}
