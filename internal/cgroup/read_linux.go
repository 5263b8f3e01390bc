package cgroup

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/howdah/howdah/internal/procfs"
)

// This file reads the kernel's small files one at a time. The library can only read all of them in
// one call, which takes ten times as long and is too slow to do for every sample.

// readNumber reads a file that contains one number. Like parseNumber, it returns 0 for "no limit".
func readNumber(dir, name string) (int64, error) {
	var buf [64]byte
	b, err := procfs.ReadFile(filepath.Join(dir, name), buf[:])
	if err != nil {
		return 0, err
	}
	n, err := parseNumber(string(bytes.TrimSpace(b)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// writeNumber writes a number to a file of a group. It returns an error if the group does not exist.
func writeNumber(dir, name string, n int64) error {
	path := filepath.Join(dir, name)
	fd, err := procfs.Retry(func() (int, error) {
		return syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o644)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if _, err = procfs.Retry(func() (int, error) { return syscall.Write(fd, strconv.AppendInt(nil, n, 10)) }); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// readTable reads a file with lines of the form "name number". It returns the number of each name
// in want, in the same order, or 0 if the name is missing.
func readTable(dir, name string, want ...string) ([]int64, error) {
	var buf [gaugeBuffer]byte
	b, err := procfs.ReadFile(filepath.Join(dir, name), buf[:])
	if err != nil {
		return nil, err
	}
	return parseTable(b, want), nil
}

func parseTable(b []byte, want []string) []int64 {
	out := make([]int64, len(want))
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		for i, w := range want {
			if key == w {
				out[i], _ = parseNumber(value)
			}
		}
	}
	return out
}

// readPIDs returns the process IDs in a group's cgroup.procs.
func readPIDs(dir string) ([]int, error) {
	var buf [gaugeBuffer]byte
	b, err := procfs.ReadFile(filepath.Join(dir, "cgroup.procs"), buf[:])
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, s := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("cgroup.procs: %w", err)
		}
		if pid > 0 { // 0 means a process in another PID namespace
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
