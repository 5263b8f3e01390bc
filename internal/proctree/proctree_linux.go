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

// killStrays kills what carries the tree's mark and left its group, until a look finds nothing more.
func (t *Tree) killStrays() {
	for round := 0; round < 100; round++ {
		pids := t.marked()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond) // a killed process keeps its environment for a moment
	}
}

// marked lists the processes that have the mark in their environment, without the first process and without zombies, whose
// environment is empty.
func (t *Tree) marked() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	mark := []byte(t.mark + "\x00")
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == t.proc.Pid || pid == os.Getpid() {
			continue
		}
		if env, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && bytes.Contains(env, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}
