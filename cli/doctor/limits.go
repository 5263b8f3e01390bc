package doctor

import "syscall"

// goodFiles is the number of open files below which a TaskTracker with many reducers gets into trouble: each holds a
// connection per host and a file per segment of a merge.
const goodFiles = 4096

func (r *Report) limits() {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		r.add(Note, "open files", "", "the limit cannot be asked: %v", err)
		return
	}
	if l.Cur < goodFiles {
		r.add(Warn, "open files", "ulimit -n 65536 before the daemons start", "a process may have %d", l.Cur)
		return
	}
	r.add(OK, "open files", "", "a process may have %d", l.Cur)
}
