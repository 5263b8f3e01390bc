package daemon

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// readCPU reads /proc: the node's times, and those of the processes below this one.
func readCPU() (t cpuTimes, err error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t, err
	}
	if t.all, t.busy, err = parseNode(b); err != nil {
		return t, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return t, err
	}
	tree := make(map[int]process, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseProcess(b); ok {
			tree[pid] = p
		}
	}
	for pid, p := range tree {
		if below(tree, pid, os.Getpid()) {
			t.own += p.ticks
		}
	}
	return t, nil
}

// process is what counts of one: times of its own and of its descendants that have ended and that it waited for.
type process struct {
	parent int
	ticks  int64
}

// below tells whether a process is root or descends from it.
func below(tree map[int]process, pid, root int) bool {
	for range len(tree) {
		if pid == root {
			return true
		}
		p, ok := tree[pid]
		if !ok {
			return false
		}
		pid = p.parent
	}
	return false
}

// parseNode reads the first line of /proc/stat: cpu user nice system idle iowait irq softirq steal guest guest_nice. Guests'
// times are in user and nice already.
func parseNode(b []byte) (all, busy int64, err error) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 5 || string(f[0]) != "cpu" {
		return 0, 0, errors.New("/proc/stat has another form")
	}
	for i, x := range f[1:min(len(f), 9)] {
		n, err := strconv.ParseInt(string(x), 10, 64)
		if err != nil {
			return 0, 0, err
		}
		all += n
		if i != 3 && i != 4 {
			busy += n
		}
	}
	return all, busy, nil
}

// parseProcess reads /proc/PID/stat: field 4 is the parent, 14 to 17 are the times. The name in field 2 may hold anything.
func parseProcess(b []byte) (p process, ok bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return p, false
	}
	f := bytes.Fields(b[i+1:]) // from field 3 on
	if len(f) < 15 {
		return p, false
	}
	parent, err := strconv.Atoi(string(f[1]))
	if err != nil {
		return p, false
	}
	p.parent = parent
	for _, x := range f[11:15] {
		n, err := strconv.ParseInt(string(x), 10, 64)
		if err != nil {
			return p, false
		}
		p.ticks += n
	}
	return p, true
}
