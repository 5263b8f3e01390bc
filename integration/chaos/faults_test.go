//go:build integration

package chaos

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// fault is one fault of a run. Its source of random numbers determines its victim.
type fault struct {
	*run
	r    *rand.Rand
	kind string
}

// kind is a kind of fault.
type kind struct {
	name   string
	weight int
	// strike applies the fault and returns the function that ends it, which may be nil. ok is false
	// if strike found no victim.
	strike func(*fault) (heal func(), ok bool)
}

// kinds lists the kinds of faults by layer: first processes, and then everything that processes
// depend on.
var kinds [2][]kind

func init() {
	kinds[0] = []kind{
		{"JobTracker killed", 3, func(f *fault) (func(), bool) { return f.killed("jobtracker") }},
		{"TaskTracker killed", 4, func(f *fault) (func(), bool) { return f.killed(f.tracker()) }},
		{"task's process killed", 6, func(f *fault) (func(), bool) { return f.child(syscall.SIGKILL) }},
		{"JobTracker stopped", 2, func(f *fault) (func(), bool) { return f.stopped("jobtracker") }},
		{"TaskTracker stopped", 3, func(f *fault) (func(), bool) { return f.stopped(f.tracker()) }},
		{"task's process stopped", 3, func(f *fault) (func(), bool) { return f.child(syscall.SIGSTOP) }},
		{"JobTracker restarted several times", 1, func(f *fault) (func(), bool) { return f.storm("jobtracker") }},
		{"TaskTracker restarted several times", 1, func(f *fault) (func(), bool) { return f.storm(f.tracker()) }},
		{"JobTracker shut down", 1, func(f *fault) (func(), bool) { return f.shutDown("jobtracker") }},
		{"TaskTracker shut down", 1, func(f *fault) (func(), bool) { return f.shutDown(f.tracker()) }},
	}
	kinds[1] = []kind{
		{"connections cut", 2, (*fault).cutConnections},
		{"connections refused", 2, func(f *fault) (func(), bool) { return f.disturb(Refusing) }},
		{"connections delayed", 2, func(f *fault) (func(), bool) { return f.disturb(Delaying) }},
		{"answers lost (half-open)", 2, func(f *fault) (func(), bool) { return f.disturb(Deaf) }},
		{"requests lost (half-open)", 2, func(f *fault) (func(), bool) { return f.disturb(Dumb) }},
		{"map output: bits flipped", 2, func(f *fault) (func(), bool) { return f.mapOutput(flip) }},
		{"map output: cut", 2, func(f *fault) (func(), bool) { return f.mapOutput(cutShort) }},
		{"map output: deleted", 2, func(f *fault) (func(), bool) { return f.mapOutput(os.Remove) }},
		{"attempt's files deleted", 2, (*fault).deleteAttempt},
		{"local disk full", 2, func(f *fault) (func(), bool) { return f.fill(f.tracker()) }},
		{"local disk read-only", 2, (*fault).readOnly},
		{"journal's disk full", 2, func(f *fault) (func(), bool) { return f.fill("jobtracker") }},
		{"clock jumps", 3, (*fault).jump},
		{"journal torn", 1, (*fault).tear},
		{"journal's end lost", 1, (*fault).loseEnd},
		{"journal damaged", 1, func(f *fault) (func(), bool) { return f.damage((*fault).flipBit) }},
		{"journal's record missing", 1, func(f *fault) (func(), bool) { return f.damage((*fault).dropRecord) }},
	}
}

// pick draws a kind of fault by weight.
func pick(r *rand.Rand, list []kind) kind {
	sum := 0
	for _, k := range list {
		sum += k.weight
	}
	n := r.IntN(sum)
	for _, k := range list {
		if n -= k.weight; n < 0 {
			return k
		}
	}
	panic("unreachable")
}

func (f *fault) strikes(what string) { f.log("%s: %s", f.kind, what) }

func (f *fault) tracker() string { return f.parts[1+f.r.IntN(trackers)] }

func (f *fault) killed(part string) (func(), bool) {
	f.strikes(part)
	f.kill(part)
	return nil, true // run.heal starts it again
}

func (f *fault) stopped(part string) (func(), bool) {
	f.strikes(part)
	pids := f.c.Running(part)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	return func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}, len(pids) > 0
}

func (f *fault) shutDown(part string) (func(), bool) {
	f.strikes(part)
	f.run.killed[part] = true
	for _, pid := range f.c.Running(part) {
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
	return func() { f.kill(part) }, true
}

// storm kills a daemon several times, each time shortly after its start.
func (f *fault) storm(part string) (func(), bool) {
	n := 2 + f.r.IntN(4)
	f.strikes(part + ", " + strconv.Itoa(n) + " times")
	for range n {
		f.kill(part)
		f.up(part)
		time.Sleep(time.Duration(f.r.IntN(400)) * time.Millisecond)
	}
	return nil, true
}

// children lists the processes of tasks.
func (f *fault) children() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		cwd, err := os.Readlink(dir + "/cwd")
		if err == nil && strings.HasPrefix(cwd, filepath.Join(f.c.Dir, "local")) && strings.Contains(cwd, "/attempt_") {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			pids = append(pids, pid)
		}
	}
	return pids
}

func (f *fault) child(s syscall.Signal) (func(), bool) {
	pick := f.r.IntN(1 << 20)
	pids := await(f.children)
	if len(pids) == 0 {
		return nil, false
	}
	pid := pids[pick%len(pids)]
	f.strikes(strconv.Itoa(pid))
	if syscall.Kill(pid, s) != nil {
		return nil, false
	}
	if s != syscall.SIGSTOP {
		return nil, true
	}
	return func() { _ = syscall.Kill(pid, syscall.SIGCONT) }, true
}

// await waits for victims for at most a second.
func await[T any](list func() []T) (found []T) {
	for end := time.Now().Add(time.Second); len(found) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		found = list()
	}
	return found
}

// proxies draws the connections that the fault affects: those of a TaskTracker, of all
// TaskTrackers, of the clients, or all.
func (f *fault) proxies() []*Proxy {
	switch n := f.r.IntN(trackers + 3); n {
	case trackers:
		return f.forTrackers
	case trackers + 1:
		return []*Proxy{f.forClients}
	case trackers + 2:
		return append([]*Proxy{f.forClients}, f.forTrackers...)
	default:
		return f.forTrackers[n : n+1]
	}
}

func (f *fault) cutConnections() (func(), bool) {
	list := f.proxies()
	f.strikes(strconv.Itoa(len(list)) + " proxies")
	for range 1 + f.r.IntN(5) {
		for _, p := range list {
			p.Cut()
		}
		time.Sleep(time.Duration(f.r.IntN(200)) * time.Millisecond)
	}
	return nil, true
}

func (f *fault) disturb(t Trouble) (func(), bool) {
	list := f.proxies()
	delay := time.Duration(20+f.r.IntN(800)) * time.Millisecond
	f.strikes(strconv.Itoa(len(list)) + " proxies")
	for _, p := range list {
		p.Disturb(t, delay)
	}
	return func() {
		for _, p := range list {
			p.Disturb(Clear, 0)
		}
	}, true
}

// mapOutput damages a file in a finished map's output.
func (f *fault) mapOutput(harm func(string) error) (func(), bool) {
	pick := f.r.IntN(1 << 20)
	files := await(func() (found []string) {
		all, _ := filepath.Glob(filepath.Join(f.c.Dir, "local/*/taskTracker/*/jobcache/job_*/attempt_*_m_*/output/*"))
		for _, name := range all {
			if i, err := os.Stat(name); err == nil && i.Mode().IsRegular() && i.Size() > 0 {
				found = append(found, name)
			}
		}
		return found
	})
	if len(files) == 0 {
		return nil, false
	}
	name := files[pick%len(files)]
	f.strikes(strings.TrimPrefix(name, f.c.Dir))
	return nil, harm(name) == nil
}

func flip(name string) error {
	b, err := os.ReadFile(name)
	if err != nil || len(b) == 0 {
		return os.ErrNotExist
	}
	w, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer w.Close()
	at := len(b) / 2
	_, err = w.WriteAt([]byte{b[at] ^ 0x10}, int64(at))
	return err
}

func cutShort(name string) error {
	i, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.Truncate(name, i.Size()/2)
}

// deleteAttempt deletes the local files of an attempt, which may be running.
func (f *fault) deleteAttempt() (func(), bool) {
	pick := f.r.IntN(1 << 20)
	dirs := await(func() []string {
		found, _ := filepath.Glob(filepath.Join(f.c.Dir, "local/*/taskTracker/*/jobcache/job_*/attempt_*"))
		return found
	})
	if len(dirs) == 0 {
		return nil, false
	}
	dir := dirs[pick%len(dirs)]
	f.strikes(strings.TrimPrefix(dir, f.c.Dir))
	_ = os.RemoveAll(dir) // its processes may be creating files there
	return nil, true
}

// jump makes the wall clock of a daemon or a task's process jump. The clock jumps back when the
// fault ends.
func (f *fault) jump() (func(), bool) {
	jumps := []time.Duration{-72 * time.Hour, -time.Hour, -10 * time.Second, 10 * time.Second, time.Hour, 720 * time.Hour}
	by := jumps[f.r.IntN(len(jumps))]
	n, pick := f.r.IntN(len(f.parts)+1), f.r.IntN(1<<20)
	what, pids := "a task's process", []int(nil)
	if n < len(f.parts) {
		what, pids = f.parts[n], f.c.Running(f.parts[n])
	} else {
		pids = await(f.children)
	}
	if len(pids) == 0 {
		return nil, false
	}
	pid := pids[pick%len(pids)]
	f.strikes(what + " by " + by.String())
	if err := ShiftClock(pid, by); err != nil {
		f.log("the clock does not jump: %v", err)
		return nil, false
	}
	return func() { _ = ShiftClock(pid, 0) }, true
}
