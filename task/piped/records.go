package piped

import (
	"os"

	"golang.org/x/sys/unix"
)

// records is the original standard output of a mapper or reducer, which Hadoop reads. takeRecords
// redirects standard output to standard error before main starts. All other output of the program
// therefore goes to the attempt's log and cannot corrupt the records.
var records = takeRecords()

func takeRecords() *os.File {
	if !Wanted() {
		return nil
	}
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return os.Stdout
	}
	if err := unix.Dup2(2, 1); err != nil {
		return os.Stdout
	}
	return os.NewFile(uintptr(fd), "records")
}
