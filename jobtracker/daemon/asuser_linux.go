package daemon

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// committer describes the user that publishes job outputs, for a log message.
func committer() string {
	if os.Geteuid() == 0 {
		return "each job's own"
	}
	return passwd.Me() + " (this process's own)"
}

// asUser runs f with the file permissions of a user. If this process is not root, or this machine
// does not have the user, f runs as the process's own user. f must access files only from its own
// goroutine.
func asUser(name string, f func() error) error {
	if os.Geteuid() != 0 {
		return f()
	}
	account, err := user.Lookup(name)
	if err != nil || account.Uid == "0" {
		return f() // this machine does not have the user, or the user is root
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		// The thread is never unlocked, because it now runs as a different user. It ends with this
		// goroutine.
		runtime.LockOSThread()
		done <- withIDs(uid, gid, f)
	}()
	return <-done
}

// withIDs runs f with another user and group for file accesses. It changes only the calling thread,
// unlike the C library's functions and Go's syscall package.
func withIDs(uid, gid int, f func() error) error {
	if _, _, errno := syscall.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return failure.New(failure.Permission, "drop groups", "", errno)
	}
	// setfsgid and setfsuid return the previous ID. Only a second call shows whether they
	// succeeded.
	unix.SetfsgidRetGid(gid)
	if got, _ := unix.SetfsgidRetGid(-1); got != gid {
		return failure.New(failure.Permission, "change the group for file accesses", "", nil)
	}
	unix.SetfsuidRetUid(uid)
	if got, _ := unix.SetfsuidRetUid(-1); got != uid {
		return failure.New(failure.Permission, "change the user for file accesses", "", nil)
	}
	return f()
}
