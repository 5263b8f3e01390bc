package testpool

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Process is a process of a pool.
type Process struct {
	PID  int
	Args string
	// Node and Deployment ("NAME-NUMBER") identify the owner of the process. Both are "" for the
	// manager or an agent.
	Node, Deployment string
	// Role is manager, agent, jobtracker, tasktracker, namenode, datanode, or other.
	Role string
}

var whose = regexp.MustCompile(`/nodes/([^/\s]+)/agent/deployments/([^/\s]+)`)

// Processes lists the pool's processes. These are the processes that have one of the pool's
// directories in their arguments or as their working directory. It omits zombies, this process, and
// commands that the test runs.
func (p *Pool) Processes() (out []Process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == os.Getpid() || dead(pid) {
			continue
		}
		raw, _ := os.ReadFile(dir + "/cmdline")
		args := strings.TrimSpace(string(bytes.ReplaceAll(raw, []byte{0}, []byte{' '})))
		cwd, _ := os.Readlink(dir + "/cwd")
		if !strings.Contains(args, p.managerDir()) && !strings.HasPrefix(cwd, p.Dir) && !strings.Contains(args, p.Conf) ||
			isCommand(args) {
			continue
		}
		x := Process{PID: pid, Args: args, Role: roleOf(args)}
		if m := whose.FindStringSubmatch(args + " " + cwd); m != nil {
			x.Node, x.Deployment = m[1], m[2]
		}
		out = append(out, x)
	}
	return out
}

// isCommand reports whether a process with the given arguments is a command that the test runs, and
// therefore not part of the pool.
func isCommand(args string) bool {
	return strings.Contains(args, "howdah.mrcluster.manager.address=") && !strings.Contains(args, "mrcluster agent")
}

func roleOf(args string) string {
	for _, r := range []struct{ role, word string }{{"manager", " mrcluster manager "}, {"agent", " mrcluster agent "},
		{"jobtracker", " jobtracker "},
		{"tasktracker", " tasktracker "}, {"namenode", ".namenode.NameNode"}, {"datanode", ".datanode.DataNode"}} {
		if strings.Contains(args, r.word) {
			return r.role
		}
	}
	return "other"
}

// dead reports whether a process has exited. A zombie counts as dead.
func dead(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := bytes.Cut(b, []byte(") "))
	return err != nil || len(rest) > 0 && rest[0] == 'Z'
}
