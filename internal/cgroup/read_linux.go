package cgroup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
