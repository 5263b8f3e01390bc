//go:build integration && linux

package cgroups

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job"
)

// beatsToAgree is the number of heartbeats after which the kernel's limits must match the journal.
// The first heartbeat's response carries the order. The second heartbeat comes from a TaskTracker
// that has received the order. The third allows time to apply it.
const beatsToAgree = 3

// looksToAgree is the number of times that the test compares the kernel with the journal while
// limits change.
const looksToAgree = 6

// decided is the time and the share of the journal's latest decision about an attempt. The zero
// value means the share at launch.
type decided struct {
	time           int64
	weight, memory int64
}

// agree checks repeatedly that the kernel's limits for each attempt match the journal, unless the
// journal has changed in the meantime. It measures time in heartbeats, because a busy machine sends
// fewer of them.
func (k *watcher) agree() {
	k.t.Helper()
	compared, looks := 0, 0
	for end := time.Now().Add(3 * time.Minute); looks < looksToAgree; {
		require.True(k.t, time.Now().Before(end), "limits were moved in %d looks only", looks)
		said := k.decisions()
		k.waitBeats(beatsToAgree)
		held := k.shares()
		k.waitBeats(1) // includes the heartbeat that reports orders that could not be applied
		again := k.decisions()
		moved := false
		for a, got := range held {
			if said[a] != again[a] {
				continue
			}
			want := decided{weight: 100, memory: slotMemory}
			if d, ok := said[a]; ok {
				want, moved = d, true
			}
			want.time = 0
			require.Equal(k.t, want, got, "%d beats after the journal said so the kernel holds something else for %+v; look %d",
				beatsToAgree, a, looks)
			compared++
		}
		if moved {
			looks++
		}
	}
	k.t.Logf("the kernel held what the journal said of %d attempts in %d looks", compared, looks)
}

// decisions returns the latest decision about each running attempt.
func (k *watcher) decisions() map[job.Attempt]decided {
	all := map[job.Attempt]decided{}
	for a, e := range journaled(k.t, k.c) {
		d := decided{time: e.Time, weight: int64(e.VCores) / 10, memory: int64(e.Memory)}
		if d.weight == 0 {
			d.weight = 100
		}
		if d.memory == 0 {
			d.memory = slotMemory
		}
		all[a] = d
	}
	return all
}

// shares returns the kernel's limits for each attempt. It identifies attempts by the log files that
// their processes have open.
func (k *watcher) shares() map[job.Attempt]decided {
	all := map[job.Attempt]decided{}
	for _, g := range k.groups() {
		a, ok := attemptIn(g)
		if !ok {
			continue
		}
		if l, err := g.Limits(); err == nil {
			all[a] = decided{weight: l.Weight, memory: l.Memory >> 20}
		}
	}
	return all
}

var attemptID = regexp.MustCompile(`attempt_\d+_\d+_[mrsc]_\d+_\d+`)

func attemptIn(g *cgroup.Group) (job.Attempt, bool) {
	pids, _ := g.Processes()
	for _, pid := range pids {
		file, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "fd", "2"))
		if id, err := job.ParseAttemptID(attemptID.FindString(file)); err == nil {
			return id.Ref(), true
		}
	}
	return job.Attempt{}, false
}

// waitBeats waits until the JobTracker has received n more heartbeats from the only TaskTracker.
func (k *watcher) waitBeats(n int) {
	k.t.Helper()
	for want, end := k.beats()+n, time.Now().Add(2*time.Minute); k.beats() < want; time.Sleep(beat / 10) {
		require.True(k.t, time.Now().Before(end), "the JobTracker receives no heartbeats")
	}
}

var beatsMetric = regexp.MustCompile(`(?m)^mapred_jobtracker_heartbeats_total (\S+)$`)

func (k *watcher) beats() int {
	r, err := http.Get(k.c.Web + "/metrics")
	require.NoError(k.t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(k.t, err)
	m := beatsMetric.FindSubmatch(text)
	require.NotNil(k.t, m, "no count of beats in %.300q", text)
	n, err := strconv.ParseFloat(string(m[1]), 64)
	require.NoError(k.t, err)
	return int(n)
}
