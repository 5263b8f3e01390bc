package procfs

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Tick is the unit of CPU time in /proc. It does not depend on the kernel's internal tick.
const Tick = 10 * time.Millisecond

// Process holds the parent and resource usage of one process.
type Process struct {
	Parent int
	Ticks  int64 // user and system CPU time, including ended descendants that the process waited for
	Memory int64 // resident memory in bytes
}

// Table maps process IDs to the processes of this machine or PID namespace.
type Table map[int]Process

// ReadTree reads root, which is a process ID, and its descendants. Its cost does not grow with the
// number of other processes, unless the kernel does not list children. It can miss a process whose
// sibling or parent ends during the call. The table is empty if root does not exist.
func ReadTree(root int) (Table, error) {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		all, err := readAll()
		return all.tree(root), err
	}
	t := Table{}
	var buf [1024]byte
	for todo := []int{root}; len(todo) > 0; {
		pid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		dir := "/proc/" + strconv.Itoa(pid)
		b, err := ReadFile(dir+"/stat", buf[:])
		if err != nil {
			continue
		}
		p, ok := parse(b)
		if _, again := t[pid]; !ok || again { // again = it has the ID of a process that has ended
			continue
		}
		t[pid] = p
		threads, _ := os.ReadDir(dir + "/task")
		for _, thread := range threads {
			list, _ := ReadFile(dir+"/task/"+thread.Name()+"/children", buf[:])
			for _, child := range strings.Fields(string(list)) {
				if id, err := strconv.Atoi(child); err == nil {
					todo = append(todo, id)
				}
			}
		}
	}
	return t, nil
}

// readAll reads all processes. It omits processes that end during the call.
func readAll() (Table, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	t := make(Table, len(entries))
	var buf [1024]byte
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := ReadFile("/proc/"+e.Name()+"/stat", buf[:])
		if err != nil {
			continue
		}
		if p, ok := parse(b); ok {
			t[pid] = p
		}
	}
	return t, nil
}

// tree returns root and all its descendants.
func (t Table) tree(root int) Table {
	out := Table{}
	for pid, p := range t {
		if t.below(pid, root) {
			out[pid] = p
		}
	}
	return out
}

// below reports whether pid is root or a descendant of root, where root is a process ID.
func (t Table) below(pid, root int) bool {
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

// parse parses /proc/PID/stat. Field 4 is the parent, fields 14 to 17 are CPU times, and field 24
// is the number of resident pages. The name in field 2 can contain any character.
func parse(b []byte) (p Process, ok bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return p, false
	}
	f := bytes.Fields(b[i+1:]) // the fields from field 3 on
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

// IO returns the number of bytes that a process has read from and written to disks. The numbers
// include those of ended descendants that the process waited for. It returns 0 if this process
// cannot read them, for example because the process has ended.
func IO(pid int) (read, written int64) {
	var buf [512]byte
	b, err := ReadFile("/proc/"+strconv.Itoa(pid)+"/io", buf[:])
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

// MemoryTotal returns the size of this machine's memory in bytes, or 0 if it is unknown.
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
