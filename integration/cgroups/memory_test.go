//go:build integration && linux

package cgroups

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/cgroup"
)

// The memory limit of a task at launch, and the interval of heartbeats.
const (
	slotMemory = 128 // MiB
	beat       = 300 * time.Millisecond
)

// TestMemoryMoves fills a node with two tasks that need more heap than their limits and two tasks
// that need hardly any memory. MROrchestrator moves memory to the former. Their heaps grow, and the
// kernel's limits match the journal. When either manager stops, all limits return to their launch
// values while the tasks continue. When the manager resumes, memory moves again.
func TestMemoryMoves(t *testing.T) {
	halt := t.TempDir()
	local, global := filepath.Join(halt, "local"), filepath.Join(halt, "global")
	c, parent := startCluster(t, minicluster.Options{Set: []string{"howdah.orchestrator=on",
		"howdah.orchestrator.epoch.ms=1500", "howdah.orchestrator.sample.ms=300",
		"howdah.orchestrator.local.halt.file=" + local, "howdah.orchestrator.global.halt.file=" + global,
		fmt.Sprintf("howdah.jobtracker.heartbeat.interval.min=%d", beat.Milliseconds()),
		fmt.Sprintf("mapreduce.map.memory.mb=%d", slotMemory),
		"mapreduce.tasktracker.map.tasks.maximum=4", fmt.Sprintf("howdah.tasktracker.memory.mb=%d", 4*slotMemory)}})
	k := &watcher{t: t, c: c, parent: parent}
	ends := []func() minicluster.Result{
		k.start("live=60m;live=60m,cpu=500s,trash=1000g"),
		k.start("cpu=1s;cpu=1000s"),
	}

	k.eventually("the hungry have more than a slot, and use it",
		func(held []string) bool { return len(held) >= 3 && k.largest() > (slotMemory-40)<<20 })
	k.agree()
	require.NoError(t, os.WriteFile(local, nil, 0o644))
	k.eventually("the TaskTracker's manager is dead: what the kernel holds falls back",
		func(held []string) bool { return len(held) == 0 && len(k.journal()) == 0 })
	require.NoError(t, os.Remove(local))
	k.eventually("it continues", func(held []string) bool { return len(held) >= 3 })
	k.agree()
	require.NoError(t, os.WriteFile(global, nil, 0o644))
	k.eventually("the JobTracker's manager is dead: what the kernel holds falls back",
		func(held []string) bool { return len(held) == 0 && len(k.journal()) == 0 })
	require.NoError(t, os.Remove(global))
	k.eventually("it continues", func(held []string) bool { return len(held) >= 3 })

	all, refused := changes(t, c), 0
	for _, e := range all {
		if strings.Contains(e.Text, "instead of the order") {
			refused++
		}
	}
	t.Logf("of %d changes the kernel refused %d", len(all), refused)
	list := c.Howdah("job", "-list")
	for _, word := range strings.Fields(list.Out) {
		if strings.HasPrefix(word, "job_") {
			r := c.Howdah("job", "-kill", word)
			require.Zero(t, r.Code, r.Err)
		}
	}
	for _, end := range ends {
		end()
	}
	c.Stop()
	require.Empty(t, trees(parent))
}

// If the kernel does not limit memory, no memory moves, not even in the journal. CPU still moves.
func TestMemoryControlOff(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{Set: []string{"howdah.orchestrator=on",
		"howdah.orchestrator.epoch.ms=1000", "howdah.orchestrator.sample.ms=250",
		"howdah.orchestrator.contended=0", "howdah.tasktracker.cgroups.memory=false",
		fmt.Sprintf("mapreduce.map.memory.mb=%d", slotMemory),
		"mapreduce.tasktracker.map.tasks.maximum=3"}})
	k := &watcher{t: t, c: c, parent: parent}
	done := make(chan minicluster.Result, 1)
	go func() {
		done <- c.Howdah("run", "loadgen", "-m", "3", "-map", "live=60m,cpu=1s;live=60m,cpu=4s,trash=200m", "-skew", "0.8")
	}()
	k.eventually("CPU is moved", func([]string) bool { return len(k.journal()) > 0 })
	r := <-done
	require.Zero(t, r.Code, r.Err)
	for _, l := range changes(t, c) {
		require.Zero(t, l.Memory, "%s", l.Text)
	}
}

// watcher reads the limits and the memory usage of attempts.
type watcher struct {
	t      *testing.T
	c      *minicluster.Cluster
	parent string
}

func (k *watcher) start(profile string) func() minicluster.Result {
	wait, _ := k.c.Background("run", "loadgen", "-m", "2", "-steps", "2000", "-map", profile)
	return wait
}

// groups returns the groups of the child processes.
func (k *watcher) groups() (all []*cgroup.Group) {
	_, trackers, err := cgroup.Below(cgroup.Config{Parent: k.parent})
	require.NoError(k.t, err)
	for _, tracker := range trackers {
		_, children, err := cgroup.Below(cgroup.Config{Parent: tracker.Path()})
		if err == nil {
			all = append(all, children...)
		}
	}
	return all
}

// held returns the kernel's shares that differ from those at launch.
func (k *watcher) held() (out []string) {
	for _, g := range k.groups() {
		l, err := g.Limits()
		if err == nil && l.Memory > 0 { // false for a child that is waiting for its first task
			out = add(out, l.Weight, l.Memory>>20)
		}
	}
	slices.Sort(out)
	return out
}

// journal returns the journal's shares of running attempts that differ from those at launch.
func (k *watcher) journal() (out []string) {
	for _, l := range journaled(k.t, k.c) {
		weight, memory := int64(l.VCores)/10, int64(l.Memory)
		if weight == 0 {
			weight = 100
		}
		if memory == 0 {
			memory = slotMemory
		}
		out = add(out, weight, memory)
	}
	slices.Sort(out)
	return out
}

func add(out []string, weight, memory int64) []string {
	if weight == 100 && memory == slotMemory {
		return out
	}
	return append(out, fmt.Sprintf("%d of CPU, %d MiB", weight, memory))
}

// largest returns the memory usage of the largest child.
func (k *watcher) largest() (bytes int64) {
	for _, g := range k.groups() {
		if u, err := g.Usage(); err == nil {
			bytes = max(bytes, u.Memory)
		}
	}
	return bytes
}

func (k *watcher) eventually(what string, true func(held []string) bool) {
	k.t.Helper()
	last := []string{}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(beat) {
		if last = k.held(); true(last) {
			return
		}
	}
	require.Fail(k.t, what, "the kernel holds %q, the journal %q; the largest child uses %d MiB", last, k.journal(),
		k.largest()>>20)
}
