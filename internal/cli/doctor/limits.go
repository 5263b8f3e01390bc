package doctor

import "syscall"

// goodFiles is the recommended minimum of the limit on open files. On a TaskTracker with many
// reducers, each reducer uses one connection per host and one file per segment of a merge.
const goodFiles = 4096

func (r *Report) limits() {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		r.add(Note, "open files", "", "cannot read the limit: %v", err)
		return
	}
	if l.Cur < goodFiles {
		r.add(Warn, "open files", "run ulimit -n 65536 before the daemons start", "a process may open %d files", l.Cur)
		return
	}
	r.add(OK, "open files", "", "a process may open %d files", l.Cur)
}
