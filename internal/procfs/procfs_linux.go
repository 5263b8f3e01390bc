package procfs

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Tick is the unit of CPU time in /proc. The kernel converts to it whatever its own clock is.
const Tick = 10 * time.Millisecond

// Process is what counts of one.
type Process struct {
	Parent int
	Ticks  int64 // CPU time, user's and system's, its own and that of descendants that ended and that it waited for
	Memory int64 // bytes that are resident
}

// Table is the processes of a machine, or of this pid namespace, by number.
type Table map[int]Process

// Read looks at all processes. One that ends meanwhile is left out.
func Read() (Table, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	t := make(Table, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		if p, ok := parse(b); ok {
			t[pid] = p
		}
	}
	return t, nil
}

// Below tells whether a process is root or descends from it.
func (t Table) Below(pid, root int) bool {
	for range len(t) {
		if pid == root {
			return true
		}
		p, ok := t[pid]
		if !ok {
			return false
		}
		pid = p.Parent
	}
	return false
}

// Tree lists root and its descendants.
func (t Table) Tree(root int) []int {
	var pids []int
	for pid := range t {
		if t.Below(pid, root) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parse reads /proc/PID/stat: field 4 is the parent, 14 to 17 are the times, 24 is resident pages. The name in field 2 may hold
// anything.
func parse(b []byte) (p Process, ok bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return p, false
	}
	f := bytes.Fields(b[i+1:]) // from field 3 on
	if len(f) < 22 {
		return p, false
	}
	parent, err := strconv.Atoi(string(f[1]))
	if err != nil {
		return p, false
	}
	p.Parent = parent
	for _, x := range f[11:15] {
		n, err := strconv.ParseInt(string(x), 10, 64)
		if err != nil {
			return p, false
		}
		p.Ticks += n
	}
	pages, err := strconv.ParseInt(string(f[21]), 10, 64)
	p.Memory = pages * int64(os.Getpagesize())
	return p, err == nil
}

// IO gives the bytes that a process has caused to be read from and written to disks, those of descendants that ended and that it
// waited for included. A process that has ended, or that is another user's, has none.
func IO(pid int) (read, written int64) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/io")
	if err != nil {
		return 0, 0
	}
	return parseIO(string(b))
}

func parseIO(s string) (read, written int64) {
	for line := range strings.Lines(s) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil || n < 0:
		case key == "read_bytes":
			read = n
		case key == "write_bytes":
			written = n
		}
	}
	return read, written
}

// MemoryTotal gives the bytes of memory of this machine, 0 if it cannot be told.
func MemoryTotal() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return parseMemory(string(b))
}

func parseMemory(s string) int64 {
	for line := range strings.Lines(s) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 53)
			if err == nil && n > 0 {
				return n << 10
			}
		}
	}
	return 0
}
