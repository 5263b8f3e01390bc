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

// do runs f on a thread that has the account's permissions. Unlike the C library and Go's syscall
// package, which change all threads of a process, do changes only the calling thread. It changes
// the effective user ID, because the file-system user ID alone determines neither access to
// /proc/PID/cwd, which depends on capabilities, nor access to /proc/sys, which depends on the
// effective user ID. Until the thread switches back, the kernel withholds root's capabilities. The
// real and the saved user ID stay root's, so the user can neither send signals to the process nor
// trace it. Open files stay usable afterward.
func (a *Account) do(f func() error) error {
	groups, err := own()
	if err != nil {
		return failure.New(failure.Internal, "find the groups of this process", "", err)
	}
	runtime.LockOSThread()
	uid, gid := unix.Geteuid(), unix.Getegid()
	err = errors.Join(setGroups(a.Groups), setEffective(unix.SYS_SETRESGID, a.GID),
		setEffective(unix.SYS_SETRESUID, a.UID))
	// If the thread cannot switch back, it stays locked. It then exits with this goroutine, and no
	// other goroutine runs on it. The user ID is restored first, because the other calls need its
	// capabilities.
	defer func() {
		if errors.Join(setEffective(unix.SYS_SETRESUID, uid), setEffective(unix.SYS_SETRESGID, gid),
			setGroups(groups)) == nil {
			runtime.UnlockOSThread()
		}
	}()
	if err != nil {
		return failure.New(failure.Permission, "act as user", a.Name, err).
			Fix("give the daemon the capabilities CAP_SETUID and CAP_SETGID, or run it as this user")
	}
	return f()
}

// setEffective sets the effective user or group ID of the calling thread. The kernel then changes
// the file-system ID, too. The real and the saved ID stay the same. call is SYS_SETRESUID or
// SYS_SETRESGID.
func setEffective(call uintptr, id int) error {
	const same = ^uintptr(0)
	if _, _, errno := syscall.RawSyscall(call, same, uintptr(id), same); errno != 0 {
		return errno
	}
	return nil
}

// setGroups sets the groups of the calling thread. The system call takes the address of the
// elements. They cannot move, because accounts and own keep them on the heap.
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
