package cgroup

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// This file reads the kernel's small files. The library can do that too, but only all of them at once, which takes ten times as
// long as is good for something that happens with every sample.

// readNumber reads a file that holds one number, or "max", which is 0 here as everything without a limit.
func readNumber(dir, name string) (int64, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	n, err := parseNumber(string(bytes.TrimSpace(b)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// readSmall hands over what is in a file, which is no longer than gaugeBuffer. It asks the kernel three times; os.ReadFile eight times, as
// it takes the kernel's files for ones that may have to be waited for.
func readSmall(path string, f func([]byte) error) error {
	fd, err := retry(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var buf [gaugeBuffer]byte
	n, err := retry(func() (int, error) { return syscall.Read(fd, buf[:]) })
	if err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return f(buf[:n])
}

// writeNumber writes a number into a file. Where the group is gone the file is not made.
func writeNumber(dir, name string, n int64) error {
	path := filepath.Join(dir, name)
	fd, err := retry(func() (int, error) {
		return syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o644)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if _, err = retry(func() (int, error) { return syscall.Write(fd, strconv.AppendInt(nil, n, 10)) }); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// retry asks again what a signal has interrupted.
func retry(ask func() (int, error)) (int, error) {
	for {
		if n, err := ask(); err != syscall.EINTR {
			return n, err
		}
	}
}

// readTable reads a file of lines "name number" and gives the numbers of some names; what is not there is 0.
func readTable(dir, name string, want ...string) ([]int64, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
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

// readPIDs reads cgroup.procs.
func readPIDs(dir string) ([]int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, s := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("cgroup.procs: %w", err)
		}
		if pid > 0 { // 0 is a process of another pid namespace
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
