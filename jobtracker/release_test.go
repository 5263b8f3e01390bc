package jobtracker

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/internal/golden/transcript"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/daemon/journal"
	"github.com/howdah/howdah/jobtracker/history"
)

var recordFlag = flag.String("record", "", "VERSION whose journals TestJournalsOfReleases records")

// A JobTracker opens the journals of every release and finds their state. Each release adds a folder
// with its journals, which nobody may change afterward. CONTRIBUTING.md describes how to record them.
func TestJournalsOfReleases(t *testing.T) {
	if *recordFlag != "" {
		recordJournals(t, filepath.Join("testdata/releases", *recordFlag))
	}
	golden.Releases(t, "testdata/releases/*/*", func(t *testing.T, dir string) string {
		m, j := opened(t, dir)
		// The JobTracker replaces the journal by a snapshot in its own format.
		var snapshot []byte
		m.Snapshot(func(e *event.Event) {
			var err error
			snapshot, err = history.AppendRecord(snapshot, e)
			require.NoError(t, err)
		})
		require.NoError(t, j.Rotate(snapshot))
		require.NoError(t, j.Close())
		return stateText(m)
	})
}

// opened returns a machine and the open journal from which it is rebuilt.
func opened(t *testing.T, dir string) (*Machine, *journal.Journal) {
	m, err := New(DefaultConfig(), newFIFO(t))
	require.NoError(t, err)
	j, torn, err := journal.Open(dir, nil, m.Apply)
	require.NoError(t, err)
	require.Zero(t, torn)
	return m, j
}

// stateText describes the state of a machine. The text of an earlier release must not change, so
// this function must not show anything that a later version adds.
func stateText(m *Machine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster %s, %d restarts, last job %d\n", m.ClusterID(), m.Restarts(), m.LastJob())
	for _, h := range m.Trackers() {
		i, _ := m.TrackerInfo(h)
		d := m.DrainInfo(h)
		fmt.Fprintf(&b, "tracker %s %s %s %s joined %d incarnation %d memory %d vcores %d drain %v %q "+
			"since %d, blacklisted %q\n", i.Name, i.Host, i.Rack, i.Addr, i.Joined, i.Incarnation, i.Memory, i.VCores,
			d.How, d.Why, d.Since, i.Blacklisted)
	}
	for _, seq := range m.AllJobs() {
		i, _ := m.JobInfo(seq)
		s := i.Spec
		fmt.Fprintf(&b, "job %d %q of %s in %q %v %v from %d to %d: %v %q\n", seq, s.Name, s.User, s.Queue, i.State,
			i.Priority, i.Submit, i.Finish, i.Kind, i.Text)
		fmt.Fprintf(&b, "  key %q by key %d staging %q output %q splits %v reduces %d attempts %d %d deadline %d "+
			"memory %d %d slow start %d timeout %d speculative %v %v skip %d %d %d committer %v conf %v\n", s.SubmitKey,
			m.JobByKey(s.SubmitKey), s.StagingDir, s.OutputDir, s.Splits, s.Reduces, s.MapAttempts, s.ReduceAttempts,
			s.Deadline, s.MapMemory, s.ReduceMemory, s.SlowStart, s.TaskTimeout, s.MapSpeculative, s.ReduceSpeculative,
			s.SkipAfter, s.MapSkip, s.ReduceSkip, s.Committer, s.Conf)
		fmt.Fprintf(&b, "  tasks %v finished %v failed %v running %v\n", i.Tasks, i.Finished, i.Failed, i.Running)
		m.Attempts(seq, func(a AttemptInfo) bool {
			name, _ := m.TrackerName(a.Tracker)
			var files []string
			for _, f := range a.Manifest {
				files = append(files, fmt.Sprintf("%s %d bytes %d", f.Name, f.Length, f.Checksum))
			}
			records := int64(0)
			if c := a.Counters(); c != nil {
				records = c.Builtin[job.MapInputRecords]
			}
			fmt.Fprintf(&b, "  %s on %s in %d %v from %d to %d: %v %q winner %v files %q limits %d %d records %d\n",
				transcript.Show(a.ID), name, a.Slot, a.State, a.Start, a.Finish, a.Kind, a.Text, a.Winner, files,
				a.CPU, a.Memory, records)
			return true
		})
	}
	return b.String()
}

// recordJournals writes journals of random schedules that together contain all types of facts. The
// schedules stop in the middle of their jobs.
func recordJournals(t *testing.T, dir string) {
	require.NoDirExists(t, dir, "the journals of a release never change")
	missing := map[event.Type]bool{}
	for typ := event.Started; !strings.HasPrefix(typ.String(), "UNKNOWN"); typ++ {
		missing[typ] = true
	}
	for number := 1; len(missing) > 0; number++ {
		best, most := []byte(nil), 0
		for seed := range uint64(300) {
			w := newWorld(seed, newCoverage())
			for _, tt := range w.tts {
				w.exchange(tt)
			}
			w.submitNew()
			for range 100 {
				w.turn()
			}
			w.melt()
			if w.down || len(w.m.Trackers()) == 0 {
				continue
			}
			w.crashIn = 0
			w.step(Input{Kind: InSubmit, Spec: wholeSpec()})
			w.step(Input{Kind: InSetPolicy, Policy: w.policy(), Setup: &PolicySetup{Name: "fifo"}})
			for _, typ := range []event.Type{event.TrackerBlacklisted, event.TrackerCleared} { // too rare in schedules
				w.write(&event.Event{Type: typ, Time: w.now, Tracker: w.m.Trackers()[0], Text: "4 jobs have blacklisted it"})
			}
			require.NoError(t, w.err)
			if n := len(typesIn(t, w.journal, missing)); n > most {
				best, most = slices.Clone(w.journal), n
			}
		}
		require.NotNil(t, best, "no schedule has the facts %v", missing)
		for _, typ := range typesIn(t, best, missing) {
			delete(missing, typ)
		}
		folder := filepath.Join(dir, fmt.Sprint(number))
		require.NoError(t, os.MkdirAll(folder, 0o755))
		j, _, err := journal.Open(folder, nil, func(*event.Event) error { return nil })
		require.NoError(t, err)
		require.NoError(t, j.Append(best[len(history.Magic):]))
		require.NoError(t, j.Close())
		m, j := opened(t, folder)
		require.NoError(t, j.Close())
		require.NoError(t, os.Remove(filepath.Join(folder, dirlock.Name)))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "state.txt"), []byte(stateText(m)), 0o644))
	}
}

// typesIn returns the types of facts in a journal that are in a set.
func typesIn(t *testing.T, facts []byte, set map[event.Type]bool) (found []event.Type) {
	require.NoError(t, history.NewDecoder(bytes.NewReader(facts)).Each(func(e *event.Event) error {
		if set[e.Type] && !slices.Contains(found, e.Type) {
			found = append(found, e.Type)
		}
		return nil
	}))
	return found
}

// wholeSpec returns a job that uses most fields.
func wholeSpec() *job.Spec {
	return &job.Spec{Name: "whole", User: "ann", Queue: "research", Priority: job.High, SubmitKey: "k-1",
		StagingDir: "file:/staging/1", OutputDir: "hdfs://nn/out", Splits: []job.SplitMeta{
			{Hosts: []string{"h1", "h2"}, Length: 1 << 30, Offset: 7}, {Length: 5}},
		Reduces: 3, MapAttempts: 4, ReduceAttempts: 5, MapFailuresPercent: 6, ReduceFailuresPercent: 7, TrackerFailures: 8,
		SlowStart: 50_000, TaskTimeout: 600_000, MapMemory: 1024, ReduceMemory: 2048, MapVCores: 1, ReduceVCores: 2,
		MapLimit: 9, ReduceLimit: 10, Deadline: 1_800_000_000_000, MapSpeculative: true, SkipAfter: 2, MapSkip: 11,
		ReduceSkip: 12, MaxCounters: 120, MaxCounterGroups: 50, Committer: true,
		Conf: []job.Property{{Name: "mapreduce.job.name", Value: "whole"}, {Name: "x.y", Value: "ä\n"}}}
}
