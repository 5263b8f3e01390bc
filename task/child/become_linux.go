package child

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job/failure"
)

// become permanently changes this process from root to the user in b and sets the process limit and
// the environment in b. If b contains a program, become executes it with the same umbilical and
// returns only if that fails.
func become(b *umbilical.Become) error {
	bad := func(err error) error {
		return failure.New(failure.KindOf(err), "become user", strconv.FormatUint(uint64(b.Uid), 10), err)
	}
	if b.Uid == 0 {
		return bad(errors.New("it is root"))
	}
	if b.Processes > 0 {
		// The limit does not apply to root, so it takes effect when the user changes.
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: b.Processes, Max: b.Processes}); err != nil {
			return bad(os.NewSyscallError("setrlimit", err))
		}
	}
	groups := make([]int, len(b.Groups))
	for i, g := range b.Groups {
		groups[i] = int(g)
	}
	// These functions of package syscall change all threads. Setuid also changes the saved user ID
	// and drops all capabilities, because the process runs as root.
	for _, err := range []error{os.NewSyscallError("setgroups", syscall.Setgroups(groups)),
		os.NewSyscallError("setgid", syscall.Setgid(int(b.Gid))), os.NewSyscallError("setuid", syscall.Setuid(int(b.Uid)))} {
		if err != nil {
			return bad(err)
		}
	}
	if err := dieWithParent(); err != nil {
		return bad(err)
	}
	for _, kv := range b.Env {
		name, value, _ := strings.Cut(kv, "=")
		if err := os.Setenv(name, value); err != nil {
			return bad(err)
		}
	}
	if b.Program == "" {
		return nil
	}
	return bad(execute(b.Program))
}

// dieWithParent makes the kernel kill this process when its TaskTracker dies. This must happen
// again after the process has changed its user, because the kernel then clears the setting. The
// setting belongs to a thread, which must not end.
func dieWithParent() error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
		select {}
	}()
	return <-done
}

// execute replaces this program with another one, which runs as if the TaskTracker had started it.
// It retries for a short time if the file is busy, because the process that wrote the file might
// still have it open.
func execute(program string) error {
	if _, err := unix.FcntlInt(FD, unix.F_SETFD, 0); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	os.Setenv(Env, "1")
	for n := time.Duration(1); ; n++ {
		err := syscall.Exec(program, []string{program}, os.Environ())
		if !errors.Is(err, syscall.ETXTBSY) || n == 10 {
			return &os.PathError{Op: "exec", Path: program, Err: err}
		}
		time.Sleep(n * n * time.Millisecond)
	}
}
