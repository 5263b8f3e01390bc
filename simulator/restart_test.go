package simulator

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

var (
	restartSeed = flag.Uint64("restartseed", 1, "first seed of the clusters whose JobTracker is killed")
	restartRuns = flag.Int("restarts", 200, "how many clusters whose JobTracker is killed")
)

func newPolicy(t *testing.T) scheduler.Policy {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	return p
}

func keepingLive(t *testing.T, nodes int) *Live {
	l, err := NewLive(Config{Slots: [2]int32{2, 1}, Heartbeat: 1000, WaitForWork: true, Policy: newPolicy(t),
		Scheduler: "fifo", KeepJournal: true}, replay.Epoch, nil)
	require.NoError(t, err)
	for range nodes {
		must(l.Add())
	}
	return l
}

// factsOf reads the journal that a Live kept.
func factsOf(t *testing.T, l *Live) (list []event.Event) {
	l.e.journal.flush()
	d := history.NewDecoder(bytes.NewReader(l.kept.Bytes()))
	for {
		var x event.Event
		if err := d.Next(&x); err == io.EOF {
			return list
		} else {
			require.NoError(t, err)
		}
		list = append(list, x)
	}
}

func count(list []event.Event, what event.Type) (n int) {
	for i := range list {
		if list[i].Type == what {
			n++
		}
	}
	return n
}

// durable returns the state that a machine's journal must restore. Some facts contain the time of
// the snapshot itself.
func durable(m *jobtracker.Machine) (list []string) {
	m.Snapshot(func(x *event.Event) {
		at := x.Time
		if x.Type == event.Started || x.Type == event.JobRetired {
			at = 0
		}
		list = append(list, fmt.Sprint(at, x.Type, x.Job, x.Attempt, x.Tracker, x.N, x.Name, x.Text, x.State, x.TaskState,
			x.JobState))
	})
	return list
}

// TestAJobTrackerThatRestarts checks that tasks continue while the JobTracker is down. After its
// restart, trackers must report the tasks that ended in the meantime, and no task may run twice.
func TestAJobTrackerThatRestarts(t *testing.T) {
	const now = int64(replay.Epoch)
	for _, shorten := range []bool{false, true} {
		l := keepingLive(t, 2)
		require.NoError(t, l.Submit(liveJob(now, 8)))
		require.NoError(t, l.RunTo(now+5000))
		require.NoError(t, l.Restart(now+12_000, newPolicy(t), shorten))
		require.True(t, l.Down())
		require.Equal(t, now+12_000, l.Next())
		require.NoError(t, l.RunTo(now+11_999))
		require.True(t, l.Down())
		require.NoError(t, l.RunTo(now+12_000))
		require.False(t, l.Down())
		require.Equal(t, int64(1), l.e.m.Restarts())
		r := drive(t, l, now+100_000)
		require.Len(t, r, 1)
		require.Equal(t, now+23_000, r[0].Finish, "the second wave began when the JobTracker was back")
		if !shorten {
			require.Equal(t, 9, count(factsOf(t, l), event.AttemptStarted))
		}
	}
}

// TestRestartWithoutJournal checks that Restart returns an error if the journal was not kept.
func TestRestartWithoutJournal(t *testing.T) {
	l := live(t, nil)
	require.ErrorContains(t, l.Restart(l.Next(), newPolicy(t), false), "not kept")
	require.False(t, l.Down())
}

// TestAJobTrackerKilledAtRandom kills the JobTracker repeatedly at random moments while nodes join,
// drain, leave, and are lost. Each restart must restore the JobTracker's state, and every job must
// end exactly once.
func TestAJobTrackerKilledAtRandom(t *testing.T) {
	for i := range *restartRuns {
		seed := *restartSeed + uint64(i)
		restartAtRandom(t, seed, fmt.Sprintf("again: go test ./simulator -run TestAJobTrackerKilledAtRandom -restarts 1 "+
			"-restartseed %d", seed))
	}
}

func restartAtRandom(t *testing.T, seed uint64, hint string) {
	r := rand.New(rand.NewPCG(seed, 7))
	l := keepingLive(t, 3)
	const jobs = 5
	at, submitted := int64(replay.Epoch), 0
	for at < replay.Epoch+200_000 || submitted < jobs {
		at += 1 + r.Int64N(8000)
		require.NoError(t, l.RunTo(at), hint)
		if l.Down() {
			continue
		}
		node := r.IntN(len(l.e.nodes))
		switch r.IntN(8) {
		case 0, 1:
			before := durable(l.e.m)
			back := at + r.Int64N(20_000)
			require.NoError(t, l.Restart(back, newPolicy(t), r.IntN(2) == 0))
			l.e.journal.flush()
			m, err := jobtracker.New(l.e.mcfg, newPolicy(t))
			require.NoError(t, err)
			require.NoError(t, history.NewDecoder(bytes.NewReader(l.kept.Bytes())).Each(m.Apply), hint)
			require.Equal(t, before, durable(m), hint)
		case 2, 3:
			if submitted < jobs {
				submitted++
				j := liveJob(at, 1+r.IntN(12))
				j.ID = fmt.Sprint("j", submitted)
				require.NoError(t, l.Submit(j), hint)
			}
		case 4:
			must(l.Add())
		case 5:
			if l.e.nodes[node].up {
				require.NoError(t, l.Drain(node, []jobtracker.Drain{jobtracker.DrainRerun, jobtracker.DrainOff}[r.IntN(2)]), hint)
			}
		case 6:
			require.NoError(t, l.Remove(node, r.IntN(2) == 0), hint)
		}
	}
	must(l.Add())
	done := map[string]trace.JobResult{}
	for _, x := range drive(t, l, at+3_600_000) {
		require.NotContains(t, done, x.ID, hint)
		require.False(t, x.Failed, hint)
		done[x.ID] = x
	}
	require.Len(t, done, jobs, hint)
}
