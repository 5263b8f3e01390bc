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

// committer says who publishes outputs.
func committer() string {
	if os.Geteuid() == 0 {
		return "each job's own"
	}
	return passwd.Me() + " (this process's own)"
}

// asUser runs f with the file permissions of a user if this process is root, and as the process's own user otherwise. f must
// do its file accesses in its own goroutine.
func asUser(name string, f func() error) error {
	if os.Geteuid() != 0 {
		return f()
	}
	account, err := user.Lookup(name)
	if err != nil || account.Uid == "0" {
		return f() // a user of another machine, or root itself
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
		// The thread is never unlocked: with the changed user it ends together with this goroutine.
		runtime.LockOSThread()
		done <- withIDs(uid, gid, f)
	}()
	return <-done
}

// withIDs changes the calling thread alone: the C library's and Go's own setters change all threads.
func withIDs(uid, gid int, f func() error) error {
	if _, _, errno := syscall.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return failure.New(failure.Permission, "drop groups", "", errno)
	}
	// setfsgid and setfsuid answer with the former id; only asking again tells whether they worked.
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
