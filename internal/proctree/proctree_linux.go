package proctree

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	bestMode = Namespace
	rssUnit  = 1024 // ru_maxrss counts KiB
)

// waitUntilDead returns when the process has ended. It does not collect the exit status.
func waitUntilDead(pid int) {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return
		}
	}
}

// keepDescriptors keeps child processes from inheriting the files that this process inherited from
// its own parent, such as a root shell. Children never inherit the files that Go itself opens.
func keepDescriptors() {
	open, _ := os.ReadDir("/proc/self/fd") // without /proc, the open files are unknown
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// collect waits until the first process has exited, kills the rest of the tree in Group mode, and
// then collects the exit status. Until it collects the status, the kernel does not reuse the
// process ID, which is also the group's ID.
func (t *Tree) collect() (*os.ProcessState, error) {
	waitUntilDead(t.proc.Pid)
	if t.mode == Group {
		_ = t.Kill()
	}
	t.setGone()
	return t.proc.Wait()
}

func sysProcAttr(mode Mode) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	switch mode {
	case Namespace:
		a.Cloneflags = syscall.CLONE_NEWPID
	case UserNamespace:
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// confine keeps the calling thread, and the processes that it creates, from gaining rights when they
// execute a program.
func confine() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
}

// killStrays kills the processes that have the tree's mark but left its process group.
func (t *Tree) killStrays() { killMarked(t.mark, t.proc.Pid) }

// marked returns the IDs of the processes that have a mark in their environment. It omits this
// process, the process whose ID is except, and zombies, which have no environment.
func marked(mark string, except int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == except || pid == os.Getpid() {
			continue
		}
		if carries(pid, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// carries reports whether a process has a mark in its environment. If the process is in an exec
// call, carries waits until the environment is available, but no longer than beginTries
// milliseconds.
func carries(pid int, mark string) bool {
	id, begun := strconv.Itoa(pid), false
	for range beginTries {
		env, err := os.ReadFile("/proc/" + id + "/environ")
		if err != nil {
			return false
		}
		if len(env) > 0 {
			return bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00"))
		}
		if begun || !hasMemory(id) {
			return false
		}
		// The process might be executing a new program. During that call its memory briefly has
		// neither arguments nor environment, even though its parent may already use its ID.
		args, err := os.ReadFile("/proc/" + id + "/cmdline")
		begun = err != nil || len(args) > 0
		time.Sleep(time.Millisecond)
	}
	return false
}

// beginTries is the maximum number of times that carries reads an environment, 1 ms apart. On a
// busy machine, a process needs several ms to execute a program.
const beginTries = 1000

// hasMemory reports whether a process has memory. Zombies and kernel threads have none.
func hasMemory(pid string) bool {
	pages, err := os.ReadFile("/proc/" + pid + "/statm")
	return err == nil && !bytes.HasPrefix(pages, []byte("0 "))
}
