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

// waitUntilDead returns when the process has ended and leaves its status to be collected.
func waitUntilDead(pid int) {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return
		}
	}
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

// killStrays kills what carries the tree's mark and left its group.
func (t *Tree) killStrays() { killMarked(t.mark, t.proc.Pid) }

// marked lists the processes that have a mark in their environment, without one process, this one and zombies, whose environment is
// empty.
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

// carries looks for a mark in the environment of a process, and waits until it has one.
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
		// It may be about to execute a program: for a moment its new memory holds neither arguments nor an environment, and whoever
		// started it may know of it by then.
		args, err := os.ReadFile("/proc/" + id + "/cmdline")
		begun = err != nil || len(args) > 0
		time.Sleep(time.Millisecond)
	}
	return false
}

// beginTries bounds the milliseconds that a process may take to begin; on a busy machine it is some.
const beginTries = 1000

// hasMemory tells a process from a zombie and from a thread of the kernel.
func hasMemory(pid string) bool {
	pages, err := os.ReadFile("/proc/" + pid + "/statm")
	return err == nil && !bytes.HasPrefix(pages, []byte("0 "))
}
