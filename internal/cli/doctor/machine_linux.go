package doctor

import "syscall"

// freeSpace returns the number of bytes on dir's file system that are available to an ordinary
// user.
func freeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}

// totalMemory returns the machine's memory in bytes.
func totalMemory() (int64, bool) {
	var s syscall.Sysinfo_t
	if syscall.Sysinfo(&s) != nil {
		return 0, false
	}
	return int64(s.Totalram) * int64(s.Unit), true
}

// clockUnsynchronized is the state that the kernel reports for an unsynchronized clock.
const clockUnsynchronized = 5

func (r *Report) clock() {
	var t syscall.Timex
	state, err := syscall.Adjtimex(&t)
	switch {
	case err != nil:
		r.add(Note, "clock", "", "cannot read the clock: %v", err)
	case state == clockUnsynchronized:
		r.add(Warn, "clock", "run an NTP daemon on each machine of the cluster",
			"the kernel reports an unsynchronized clock")
	default:
		r.add(OK, "clock", "", "synchronized")
	}
}
