package doctor

import "syscall"

// freeSpace gives the bytes that an ordinary user may still write below dir.
func freeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}

// totalMemory gives the machine's memory in bytes.
func totalMemory() (int64, bool) {
	var s syscall.Sysinfo_t
	if syscall.Sysinfo(&s) != nil {
		return 0, false
	}
	return int64(s.Totalram) * int64(s.Unit), true
}

// clockUnsynchronised is what the kernel answers when nobody keeps its clock right.
const clockUnsynchronised = 5

func (r *Report) clock() {
	var t syscall.Timex
	state, err := syscall.Adjtimex(&t)
	switch {
	case err != nil:
		r.add(Note, "clock", "", "cannot be asked: %v", err)
	case state == clockUnsynchronised:
		r.add(Warn, "clock", "run an NTP daemon where several machines work together", "the kernel says that nobody synchronises it")
	default:
		r.add(OK, "clock", "", "synchronised")
	}
}
