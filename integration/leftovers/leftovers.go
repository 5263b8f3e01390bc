// Package leftovers checks that a test leaves nothing on the machine: no process, no temporary file, no control group, no network namespace,
// bridge or cable.
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

// patience is how long after its end something of a test may still be there.
const patience = 30 * time.Second

// Check is called before a test makes anything; what it looks at is looked at when all that the test has registered to be cleaned up has been.
// Processes that the test starts are known by TMPDIR in their environment, which Check sets, whatever became of their parents. Groups and
// networks are known by not having been there before and by belonging to no process of somebody else. Linux only; elsewhere temporary files
// alone are looked for.
func Check(t testing.TB) {
	t.Helper()
	tmp := t.TempDir()
	if err := os.Chmod(filepath.Dir(tmp), 0o711); err != nil { // programs that the test runs as another user pass through
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

// find lists what is there of a test.
func find(tmp string, before []string) (left []string) {
	files, _ := os.ReadDir(tmp)
	for _, f := range files {
		left = append(left, filepath.Join(tmp, f.Name()))
	}
	others := map[string]bool{} // groups and networks of other people's processes
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
		if !slices.Contains(before, path) && !others[name] && !others[pool(name)] && !ofAnotherTest(name) {
			left = append(left, path)
		}
	}
	return left
}

// made lists the control groups and the networks on this machine that howdah has made.
func made() (out []string) {
	for _, pattern := range []string{"/sys/fs/cgroup/howdah/*", "/sys/fs/cgroup/*/howdah/*", "/sys/fs/cgroup/howdah-hwd*", "/sys/fs/cgroup/*/howdah-hwd*",
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

// ofAnotherTest tells of a group that is named after the process of a test whether that is not this one.
func ofAnotherTest(name string) bool {
	pid, ok := strings.CutPrefix(strings.TrimPrefix(name, "howdah-"), "test-")
	return ok && pid != strconv.Itoa(os.Getpid())
}

// network is the name that all names of a pool of network namespaces begin with; dir is the pool's.
func network(dir string) string {
	hash := sha256.Sum256([]byte(dir))
	return "hwd" + hex.EncodeToString(hash[:3])
}

// pool gives that name in the name of a group, a namespace, a bridge or a cable.
func pool(name string) string {
	name = strings.TrimPrefix(name, "howdah-")
	return name[:min(len(name), len("hwd")+6)]
}

// process is one that runs.
type process struct {
	pid     int
	environ [][]byte
}

// processes lists all but this one, and those that have ended and wait for their parents.
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

// value gives a variable of its environment, "" if it is not there.
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
