// Package leftovers checks that a test leaves no processes, temporary files, control groups,
// network namespaces, bridges, or virtual cables on the machine.
package leftovers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long a test's processes and other objects may continue to exist after the test.
const patience = 30 * time.Second

// Check registers a cleanup that looks for leftovers. A test must call it first, so that the check
// runs after all other cleanups.
//
// Check sets TMPDIR and recognizes the test's processes by that variable, even if their parents
// have exited. A control group or network counts as a leftover if it is new and does not belong to
// another test's process. On systems other than Linux, Check looks only for temporary files.
func Check(t testing.TB) {
	t.Helper()
	tmp := t.TempDir()
	// The test's programs may run as other users, who need access to the directory.
	if err := os.Chmod(filepath.Dir(tmp), 0o711); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	before := made()
	t.Cleanup(func() {
		for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
			left := find(tmp, before)
			if len(left) == 0 {
				return
			}
			if time.Now().After(end) {
				t.Errorf("left behind:\n%s", strings.Join(left, "\n"))
				return
			}
		}
	})
}

// find lists a test's leftovers.
func find(tmp string, before []string) (left []string) {
	files, _ := os.ReadDir(tmp)
	for _, f := range files {
		left = append(left, filepath.Join(tmp, f.Name()))
	}
	others := map[string]bool{} // groups and networks of other tests' processes
	for _, p := range processes() {
		if p.value("TMPDIR") == tmp {
			left = append(left, "process "+strconv.Itoa(p.pid)+" "+p.command())
			continue
		}
		others["tasktracker-"+strconv.Itoa(p.pid)] = true
		if dir := p.value("HOWDAH_POOL_NODE"); dir != "" {
			others[network(filepath.Dir(filepath.Dir(dir)))] = true
		}
	}
	for _, path := range made() {
		name := filepath.Base(path)
		if !slices.Contains(before, path) && !others[taskTracker(name)] && !others[pool(name)] && !ofAnotherTest(name) {
			left = append(left, path)
		}
	}
	return left
}

// taskTracker returns the name of a TaskTracker's control group without the number that it has if a
// dead process with the same PID has left a group of that name.
func taskTracker(group string) string {
	if i := strings.LastIndexByte(group, '-'); i > len("tasktracker") {
		return group[:i]
	}
	return group
}

// made lists howdah's control groups and networks on this machine.
func made() (out []string) {
	for _, pattern := range []string{"/sys/fs/cgroup/howdah/*", "/sys/fs/cgroup/*/howdah/*", "/sys/fs/cgroup/howdah-hwd*",
		"/sys/fs/cgroup/*/howdah-hwd*",
		"/sys/fs/cgroup/howdah-test-*", "/sys/fs/cgroup/*/howdah-test-*",
		"/run/netns/hwd*", "/sys/class/net/hwd*"} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			if i, err := os.Stat(p); err == nil && (i.IsDir() || !strings.HasPrefix(p, "/sys/fs/cgroup")) {
				out = append(out, p)
			}
		}
	}
	return out
}

// ofAnotherTest reports whether a group's name contains the process ID of another test.
func ofAnotherTest(name string) bool {
	pid, ok := strings.CutPrefix(strings.TrimPrefix(name, "howdah-"), "test-")
	return ok && pid != strconv.Itoa(os.Getpid())
}

// network returns the prefix of the names of a pool's network namespaces. dir is the pool's
// directory.
func network(dir string) string {
	hash := sha256.Sum256([]byte(dir))
	return "hwd" + hex.EncodeToString(hash[:3])
}

// pool returns the prefix that identifies the pool in the name of a group, namespace, bridge, or
// virtual cable.
func pool(name string) string {
	name = strings.TrimPrefix(name, "howdah-")
	return name[:min(len(name), len("hwd")+6)]
}

type process struct {
	pid     int
	environ [][]byte
}

// processes lists the other processes whose environment this process can read. Zombies have none.
func processes() (out []process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		b, err := os.ReadFile(dir + "/environ")
		if err == nil && len(b) > 0 && pid != os.Getpid() {
			out = append(out, process{pid, bytes.Split(b, []byte{0})})
		}
	}
	return out
}

// value returns the value of the named variable in the process's environment, or "" if it is not
// set.
func (p process) value(name string) string {
	for _, v := range p.environ {
		if k, value, _ := strings.Cut(string(v), "="); k == name {
			return value
		}
	}
	return ""
}

func (p process) command() string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
	return string(bytes.ReplaceAll(b, []byte{0}, []byte{' '}))
}
