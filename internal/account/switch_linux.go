package account

import (
	"errors"
	"reflect"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/job/failure"
)

func supported() error { return nil }

// own returns the groups of this process. A thread that has acted as a user switches back to them.
var own = sync.OnceValues(func() ([]uint32, error) {
	list, err := syscall.Getgroups()
	groups := make([]uint32, len(list))
	for i, g := range list {
		groups[i] = uint32(g)
	}
	return groups, err
})

// do runs f on a thread that has the account's file permissions. Unlike the C library and Go's
// syscall package, which change all threads of a process, do changes only the calling thread. The
// kernel checks the file-system user ID in system calls that take paths. Until the thread switches
// back, the kernel also withholds root's file capabilities. Open files stay usable afterward.
func (a *Account) do(f func() error) error {
	groups, err := own()
	if err != nil {
		return failure.New(failure.Internal, "find the groups of this process", "", err)
	}
	runtime.LockOSThread()
	err = become(a.UID, a.GID, a.Groups)
	// If the thread cannot go back, it stays locked and ends with its goroutine. No other goroutine
	// ever runs on it.
	defer func() {
		if become(0, unix.Getegid(), groups) == nil {
			runtime.UnlockOSThread()
		}
	}()
	if err != nil {
		return failure.New(failure.Permission, "act as user", a.Name, err).
			Fix("give the daemon the capabilities CAP_SETUID and CAP_SETGID, or run it as this user")
	}
	return f()
}

// become sets the calling thread's user and groups for file accesses. setfsuid and setfsgid return
// the previous ID, so only a second call shows whether they succeeded.
func become(uid, gid int, groups []uint32) error {
	if err := setGroups(groups); err != nil {
		return err
	}
	_, _ = unix.SetfsgidRetGid(gid)
	if got, _ := unix.SetfsgidRetGid(-1); got != gid {
		return errors.New("the kernel does not let this process change its group")
	}
	_, _ = unix.SetfsuidRetUid(uid)
	if got, _ := unix.SetfsuidRetUid(-1); got != uid {
		return errors.New("the kernel does not let this process change its user")
	}
	return nil
}

// setGroups sets the groups of the calling thread. The system call takes the address of the slice,
// which must not move. The slice is on the heap, because accounts and own outlive the call.
func setGroups(groups []uint32) error {
	var at uintptr
	if len(groups) > 0 {
		at = reflect.ValueOf(groups).Pointer()
	}
	_, _, errno := syscall.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), at, 0)
	runtime.KeepAlive(groups)
	if errno != 0 {
		return errno
	}
	return nil
}
