package cgroup

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/containerd/cgroups/v3/cgroup1"

	"github.com/howdah/howdah/job/failure"
)

// detect returns the hierarchy for the versions that are mounted at mount. It does not check
// whether this process has permission to create groups.
func detect(mount string, log *slog.Logger) (hierarchy, error) {
	if controllers, err := os.ReadFile(filepath.Join(mount, "cgroup.controllers")); err == nil {
		return &v2{mount: mount, has: intersect(strings.Fields(string(controllers)), "cpu", "memory", "pids"), log: log}, nil
	}
	h := &v1{mount: mount}
	for _, name := range []cgroup1.Name{cgroup1.Cpu, cgroup1.Cpuacct, cgroup1.Memory, cgroup1.Pids} {
		if _, err := os.Stat(filepath.Join(mount, string(name), "cgroup.procs")); err == nil {
			h.has = append(h.has, name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, failure.New(failure.KindOf(err), "open control groups", mount, err)
		}
	}
	if len(h.has) == 0 {
		return nil, failure.New(failure.NotFound, "open control groups", mount,
			errors.New("neither version 1 nor version 2 is mounted there"))
	}
	if _, err := os.Stat(filepath.Join(mount, unified, "cgroup.controllers")); err == nil {
		h.trees = &v2{mount: filepath.Join(mount, unified), log: log}
	}
	return h, nil
}

// unified is the folder in which version 2 is mounted if version 1 is also mounted.
const unified = "unified"

func intersect(have []string, want ...string) []string {
	return slices.DeleteFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}
