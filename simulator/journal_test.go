package simulator_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// open replays a journal into a machine, as a JobTracker that starts with this journal does.
func open(t *testing.T, journal []byte) *jobtracker.Machine {
	t.Helper()
	m, err := jobtracker.New(jobtracker.DefaultConfig(), newFIFO(t))
	require.NoError(t, err)
	for _, e := range facts(t, journal) {
		require.NoError(t, m.Apply(&e))
	}
	return m
}

// TestJournalIsAJobTrackersJournal checks that a real JobTracker can open the journal of a run and
// show its jobs. The journal's hash must be that of its facts.
func TestJournalIsAJobTrackersJournal(t *testing.T) {
	eachSeed(t, *tracesFlag/20, func(t *testing.T, r *rand.Rand) {
		jobs := shape{jobs: 7, failures: true, hosts: 2}.draw(r)
		var journal bytes.Buffer
		c := randomCluster(r)
		c.Journal = &journal
		res := run(t, c, jobs...)
		sum := sha256.Sum256(journal.Bytes()[len(history.Magic):])
		require.Equal(t, hex.EncodeToString(sum[:]), res.Hash)
		m := open(t, journal.Bytes())
		require.Len(t, m.AllJobs(), len(jobs))
		for _, x := range res.Jobs {
			j := m.Job(x.Seq)
			require.Equal(t, x.Failed, j.State != job.Succeeded)
			require.Equal(t, [2]int32{x.Maps, x.Reduces}, j.Tasks)
		}
	})
}

func TestJournalOfTaskLevel(t *testing.T) {
	eachSeed(t, *tracesFlag/20, func(t *testing.T, r *rand.Rand) {
		jobs := shape{jobs: 4, failures: true}.draw(r)
		var journal bytes.Buffer
		c := tasklevel.Config{Slots: [2]int32{3, 2}, Trackers: between(r, 1, 3), Policy: newFIFO(t), Journal: &journal}
		c.Capacity = []tasklevel.Capacity{{At: 10_000, Slots: [2]int32{1, 1}}, {At: 20_000, Slots: [2]int32{4, 4}}}
		res, err := tasklevel.Run(t.Context(), c, source(jobs))
		require.NoError(t, err)
		require.Len(t, res.Jobs, len(jobs))
		m := open(t, journal.Bytes())
		require.Empty(t, m.Jobs(), "every job is over")
		require.Len(t, m.AllJobs(), len(jobs))
		c.Journal, c.Policy = nil, newFIFO(t)
		again, err := tasklevel.Run(t.Context(), c, source(jobs))
		require.NoError(t, err)
		require.Equal(t, res, again, "with or without a journal")
	})
}

type brokenWriter struct{ left int }

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestJournalThatCannotBeWritten(t *testing.T) {
	for _, left := range []int{0, 10} {
		_, err := simulator.Run(t.Context(), simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Policy: newFIFO(t),
			Journal: &brokenWriter{left}}, source(shape{jobs: 1}.draw(rand.New(rand.NewPCG(1, 1)))))
		require.ErrorContains(t, err, "disk full")
	}
}

// TestSimulatedCluster checks that trace.SimulatedCluster is the Cluster of the JobTracker
// machine's default configuration.
func TestSimulatedCluster(t *testing.T) {
	require.Equal(t, trace.SimulatedCluster, jobtracker.DefaultConfig().Cluster)
}
