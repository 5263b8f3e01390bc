//go:build integration

package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

var (
	minutes = flag.Float64("minutes", 1.5, "how long faults strike, in minutes")
	seed    = flag.Uint64("seed", 12, "seed of the faults and of the jobs; 0 = any")
	keep    = flag.String("keep", "", "directory for the cluster's logs and journal of a run that failed")
)

const (
	trackers  = 3
	customers = 4
	// patience is how long jobs may take to end after all faults have been healed.
	patience = 3 * time.Minute
	roomy    = 4 << 30 // size of a disk that is not full, in bytes
)

// settings make a cluster notice losses quickly. Faults must not make a job fail, so the limits on
// attempts are as high as possible.
var settings = []string{
	"mapreduce.jobtracker.expire.trackers.interval=4000", "mapreduce.tasktracker.tasks.sleeptimebeforesigkill=200",
	"mapred.disk.healthChecker.interval=1000", "mapreduce.task.timeout=8000",
	"mapreduce.reduce.shuffle.max-fetch-failures-notifications=1", "mapreduce.reduce.shuffle.connect.timeout=2000",
	"mapreduce.reduce.shuffle.read.timeout=3000",
	"mapreduce.map.maxattempts=1000", "mapreduce.reduce.maxattempts=1000", "mapreduce.job.maxtaskfailures.per.tracker=0",
	"mapreduce.jobtracker.tasktracker.maxblacklists=0",
	"mapred.jobtracker.completeuserjobs.maximum=100000", "mapreduce.jobtracker.retiredjobs.cache.size=100000",
	"howdah.client.reconnect.timeout=1000", "howdah.client.connect.timeout=1000",
	"mapreduce.client.progressmonitor.pollinterval=500", "mapreduce.task.io.sort.mb=4",
}

// run is one run of chaos.
type run struct {
	t     *testing.T
	c     *minicluster.Cluster
	h     *History
	parts []string // JobTracker first
	begun time.Time

	forClients  *Proxy
	forTrackers []*Proxy

	racing atomic.Pointer[string] // howdah with the race detector; nil until it is built
	starts int                    // number of daemon restarts
	raced  int                    // number of restarts with the race detector

	mounted bool // local directories and the journal are on their own file systems
	killed  map[string]bool
	excuses []string // daemons that may have exited on their own in this step
	counts  map[string]int
	missed  map[string]int

	outs sync.Mutex
	done []finished
}

// finished is a successful job's output, which is checked again at the end of the run.
type finished struct {
	customer, key, out string
	want               map[string]string
}

// TestChaos lets clients submit, watch, and kill jobs while two faults at a time strike the cluster. In
// the end, all clients' histories keep the promises that History.Check lists, every output equals
// the reference, and nothing is left behind.
func TestChaos(t *testing.T) {
	leftovers.Check(t)
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano() % 1e9)
	}
	t.Logf("again with: make chaos SEED=%d MINUTES=%g", *seed, *minutes)
	r := start(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	faultsEnd := make(chan struct{})
	var all sync.WaitGroup
	p := r.prepare()
	for i := range customers {
		x := r.customer(p, i)
		all.Go(func() { x.work(ctx, faultsEnd) })
	}
	r.strike()
	close(faultsEnd)
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		cancel()
		<-ended
	}
	r.end()
}

// start starts a cluster whose TaskTrackers and clients reach the JobTracker through proxies.
func start(t *testing.T) *run {
	r := &run{t: t, begun: time.Now(), killed: map[string]bool{}, counts: map[string]int{}, missed: map[string]int{},
		parts: []string{"jobtracker"}}
	for i := range trackers {
		r.parts = append(r.parts, fmt.Sprintf("tasktracker-%d", i+1))
	}
	r.withRaceDetector()
	r.c = minicluster.Start(t, minicluster.Options{TaskTrackers: trackers, Set: settings, Prepare: r.mount})
	t.Cleanup(r.keepFiles)
	for range trackers {
		r.forTrackers = append(r.forTrackers, r.proxy())
	}
	r.forClients = r.proxy()
	addresses := []string{r.forClients.Addr()}
	for _, p := range r.forTrackers {
		addresses = append(addresses, p.Addr())
	}
	r.restartWith(r.parts[0], "howdah.security.rpc.addresses="+strings.Join(addresses, ","))
	for i, p := range r.forTrackers {
		r.restartWith(r.parts[i+1], "mapreduce.jobtracker.address="+p.Addr())
	}
	r.killed = map[string]bool{}
	r.h = NewHistory()
	return r
}

// restartWith restarts a daemon with one more setting.
func (r *run) restartWith(part, setting string) {
	file := r.c.CommandFile(part)
	b, err := os.ReadFile(file)
	require.NoError(r.t, err)
	more := strings.Replace(string(b), " --pid-file ", " -D "+setting+" --pid-file ", 1)
	require.NotEqual(r.t, more, string(b))
	require.NoError(r.t, os.WriteFile(file, []byte(more), 0o755))
	r.kill(part)
	r.up(part)
}

func (r *run) proxy() *Proxy {
	p, err := NewProxy(r.c.JobTracker)
	require.NoError(r.t, err)
	r.t.Cleanup(p.Close)
	return p
}

// raceMinutes is the length, in minutes, of the shortest run for which howdah is built with the
// race detector. The first build on a machine takes minutes.
const raceMinutes = 3

// withRaceDetector builds howdah with the race detector during a long run.
func (r *run) withRaceDetector() {
	if *minutes < raceMinutes {
		return
	}
	program := filepath.Join(r.t.TempDir(), "howdah")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "nice", "go", "build", "-race", "-o", program, "../../cmd/howdah")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "TMPDIR="+filepath.Dir(program)) // go leaves files if interrupted
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	built := make(chan struct{})
	go func() {
		defer close(built)
		switch out, err := cmd.CombinedOutput(); {
		case err == nil:
			r.racing.Store(&program)
		case ctx.Err() == nil:
			r.t.Logf("no daemon runs with the race detector, which needs a C compiler: %s", out)
		}
	}()
	r.t.Cleanup(func() { cancel(); <-built })
}

// mount puts the journal and each TaskTracker's local directory on separate file systems, whose
// sizes faults can change.
func (r *run) mount(dir string) {
	for _, part := range r.parts {
		name := r.disk(dir, part)
		require.NoError(r.t, os.MkdirAll(name, 0o700))
		if err := mountOwn(name, roomy); err != nil {
			r.t.Logf("no disk is full or read-only, because mounting a file system needs root: %v", err)
			return
		}
		r.mounted = true
		r.t.Cleanup(func() { _ = unmount(name) })
	}
}

// disk returns the directory of a daemon's file system. dir is the cluster's directory.
func (r *run) disk(dir, part string) string {
	if part == "jobtracker" {
		return filepath.Join(dir, part)
	}
	return filepath.Join(dir, "local", part)
}

// kill kills a daemon and waits until none of its processes is left.
func (r *run) kill(part string) {
	r.killed[part] = true
	minicluster.Eventually(r.t, 30*time.Second, part+" to be gone", func() bool {
		pids := r.c.Running(part)
		for _, pid := range pids {
			kill9(pid)
		}
		return len(pids) == 0
	})
}

// up starts a daemon unless it is running. Every third daemon runs with the race detector.
func (r *run) up(part string) (ended <-chan struct{}) {
	if len(r.c.Running(part)) > 0 {
		return nil
	}
	r.starts++
	program := minicluster.Binary(r.t)
	if racing := r.racing.Load(); racing != nil && r.starts%3 == 1 {
		program = *racing
		r.raced++
	}
	file := r.c.CommandFile(part)
	b, err := os.ReadFile(file)
	require.NoError(r.t, err)
	_, args, _ := strings.Cut(string(b), " ")
	require.NoError(r.t, os.WriteFile(file, []byte(program+" "+args), 0o755))
	ended = r.c.StartAgain(part)
	minicluster.Eventually(r.t, 30*time.Second, part+" to run", func() bool {
		select {
		case <-ended:
			return true
		default:
			return len(r.c.Running(part)) > 0
		}
	})
	return ended
}

// strike applies faults of two layers at a time until the run's time is over. The seed and the
// step's number determine all choices.
func (r *run) strike() {
	over := time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	checked := time.Now()
	for step, wrong := uint64(0), false; time.Now().Before(over) && !wrong; step++ {
		draw := rand.New(rand.NewPCG(*seed, step))
		hold := time.Duration(300+draw.IntN(3700)) * time.Millisecond
		pause := time.Duration(200+draw.IntN(1800)) * time.Millisecond
		var heals []func()
		for layer := range kinds {
			k := pick(draw, kinds[layer])
			f := &fault{run: r, r: rand.New(rand.NewPCG(*seed, step<<8+uint64(layer)+1)), kind: k.name}
			heal, ok := k.strike(f)
			if !ok {
				r.missed[k.name]++
				continue
			}
			r.counts[k.name]++
			if heal != nil {
				heals = append(heals, heal)
			}
		}
		time.Sleep(hold)
		for _, heal := range slices.Backward(heals) {
			heal()
		}
		r.heal()
		time.Sleep(pause)
		wrong = r.t.Failed()
		if time.Since(checked) > 30*time.Second {
			r.scanLogs()
			wrong, checked = r.t.Failed() || len(r.h.Check(false)) > 0, time.Now()
		}
		if wrong {
			r.log("the run ends early, because something is wrong")
		}
	}
}

// heal starts all daemons that are not running. It fails the test if a daemon has exited without
// being hit by a fault.
func (r *run) heal() {
	for _, part := range r.parts {
		if len(r.c.Running(part)) == 0 && !r.killed[part] && !slices.Contains(r.excuses, part) {
			log := r.c.Log(part)
			r.t.Errorf("%s ended by itself: ...%s", part, log[max(0, len(log)-2000):])
		}
		r.up(part)
	}
	r.killed, r.excuses = map[string]bool{}, nil
}

// log prints an event of the run with the time since the history began.
func (r *run) log(format string, args ...any) {
	r.t.Logf("%7.2fs %s", r.h.Now().Seconds(), fmt.Sprintf(format, args...))
}

// check reports the history's broken promises, and the history of each affected job.
func (r *run) check() {
	shown := map[string]bool{}
	for _, v := range r.h.Check(true) {
		about := v.ID.String() + v.Key
		if len(shown) == 5 && !shown[about] {
			r.t.Error("... and more")
			return
		}
		if r.t.Error(v); !shown[about] {
			r.t.Logf("its history:\n%s", r.h.Of(v.ID, v.Key))
		}
		shown[about] = true
	}
}

// signs are texts in a daemon's log that no fault explains.
var signs = []string{"panic:", "fatal error:", "DATA RACE", "SIGSEGV"}

func (r *run) scanLogs() {
	for _, part := range r.parts {
		log := r.c.Log(part)
		for _, sign := range signs {
			if i := strings.Index(log, sign); i >= 0 {
				r.t.Errorf("%s: %s", part, log[max(0, i-500):min(len(log), i+6000)])
				break
			}
		}
	}
}

// end checks what must hold after all faults have been healed and all clients have finished.
func (r *run) end() {
	x := r.dial(r.c.JobTracker)
	var jobs []*status.Job
	for limit := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		e := &Event{Client: "end", Op: List, Begin: r.h.Now()}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		list, err := x.List(ctx, status.Filter{All: true})
		cancel()
		e.answer(r.h, list, err)
		if jobs = list; err == nil && !slices.ContainsFunc(list, func(j *status.Job) bool { return !j.State.Terminal() }) {
			break
		}
		if time.Now().After(limit) {
			r.t.Errorf("some jobs do not end: %v", err)
			break
		}
	}
	for _, f := range r.done {
		r.look(f)
	}
	r.check()
	r.scanLogs()
	var outs []string
	for _, f := range r.done {
		outs = append(outs, f.out)
	}
	var left []string
	for limit := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		left = slices.DeleteFunc(r.c.Left(outs...), func(name string) bool { return r.mayStay(name, jobs) })
		if len(left) == 0 || time.Now().After(limit) {
			break
		}
	}
	if len(left) > 0 {
		r.t.Errorf("left over:\n%s", strings.Join(left, "\n"))
	}
	r.report(jobs)
}

// mayStay reports whether a leftover belongs to a job about which the journal has lost facts, or to
// a submission that its client abandoned. The JobTracker removes the latter after a day.
func (r *run) mayStay(left string, jobs []*status.Job) bool {
	if slices.ContainsFunc(r.h.Lost(), func(id job.ID) bool { return strings.Contains(left, id.String()) }) {
		return true
	}
	return filepath.Base(filepath.Dir(left)) == ".staging" &&
		!slices.ContainsFunc(jobs, func(j *status.Job) bool { return j.ID.String() == filepath.Base(left) })
}

// report prints a summary of the run.
func (r *run) report(jobs []*status.Job) {
	states := map[string]int{}
	for _, j := range jobs {
		states[j.State.String()]++
	}
	total := 0
	var table strings.Builder
	for _, layer := range kinds {
		for _, k := range layer {
			fmt.Fprintf(&table, "%6d  %s\n", r.counts[k.name], k.name)
			total += r.counts[k.name]
		}
	}
	r.t.Logf("seed %d, %.1f minutes: %d faults of %d kinds; %d jobs %v, %d of them with facts that the journal lost; %d "+
		"outputs checked; %d daemons started again, %d with the race detector\n%snot struck, because no victim was there: %v",
		*seed, time.Since(r.begun).Minutes(), total, len(r.counts), len(jobs), states, len(r.h.Lost()), len(r.done),
		r.starts, r.raced, &table, r.missed)
}

// keepFiles copies the cluster's logs and journal to the directory of -keep if the test has failed.
func (r *run) keepFiles() {
	if *keep == "" || !r.t.Failed() {
		return
	}
	for _, dir := range []string{"logs", "jobtracker", "conf", "commands"} {
		_ = os.CopyFS(filepath.Join(*keep, dir), os.DirFS(filepath.Join(r.c.Dir, dir)))
	}
}
