package cgroup

// hierarchy is how this kernel shows control groups. Paths of groups begin with a slash and are relative to where the hierarchy
// begins.
type hierarchy interface {
	mode() string
	// prepare makes a group that is to hold groups only. That it exists is no error.
	prepare(path string) error
	// create makes a group with limits, which check has passed.
	create(path string, l Limits) (control, error)
	// open gives a group that may exist.
	open(path string) control
	// folders gives a group's folder in every hierarchy.
	folders(path string) []string
	// dir gives the folder of a group that is made first and removed last.
	dir(path string) string
}

// control is one group in the kernel. An error of a group that is gone is fs.ErrNotExist.
type control interface {
	// set writes what differs from the limits that were set before; nil = nobody knows those.
	set(l Limits, before *Limits) error
	limits() (Limits, error)
	usage() (Usage, error)
	// memory is Memory of usage.
	memory() (int64, error)
	// sources are the files of a Reading.
	sources() []source
	join(pid int) error
	// processes lists those of the group itself.
	processes() ([]int, error)
	// kill sends SIGKILL to every process.
	kill() error
	// remove removes the group; one that is gone is no error, one with processes is.
	remove() error
}
