package importer

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
)

func TestRumen(t *testing.T) {
	tr, err := Read([]string{"testdata/rumen.json"}, Options{})
	require.NoError(t, err)
	require.Len(t, tr.Jobs, 2)
	require.Equal(t, &trace.Job{ID: "job_200904211745_0004", Queue: "default", Submit: 500, State: job.Killed,
		Conf: []job.Property{{Name: "mapreduce.map.memory.mb", Value: "7"}}}, tr.Jobs[0])
	require.Equal(t, &trace.Job{ID: "job_200904211745_0002", Name: `a "name" {`, User: "u", Queue: "q", Priority: job.Low,
		Submit: 1000, Launch: 1100, Finish: 9000, State: job.Succeeded, Output: 17,
		Conf: []job.Property{{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "0.9"},
			{Name: "mapreduce.map.memory.mb", Value: "640"}},
		Maps: []trace.Map{{Time: 1000, Start: 2000, Host: "h1.x", Hosts: []string{"h1.x"}, Input: 5},
			{Time: 1000, Hosts: []string{"h1.x"}, Input: 5}},
		// The last map ended at 3000, and the sort ended at 4500.
		Reduces: []trace.Reduce{{First: true, Shuffle: 1500, Time: 1500, Start: 2500}}}, tr.Jobs[1])
	require.Equal(t, []trace.Node{{Host: "h1.x", Rack: "/r1"}, {Host: "h7.x", Rack: "/r2"}}, tr.Nodes)
	require.Len(t, tr.Damage, 2) // the truncated object, and the map without an attempt
	require.EqualValues(t, 12, tr.Damage[0].Line)
}

func TestSWIM(t *testing.T) {
	tr, err := Read([]string{"testdata/swim.tsv"}, Options{SWIM: Rates{Map: 67.108864, Overhead: 500}})
	require.NoError(t, err)
	require.Len(t, tr.Damage, 1)
	require.EqualValues(t, 4, tr.Damage[0].Line)
	require.Len(t, tr.Jobs, 3)
	ids := []string{tr.Jobs[0].ID, tr.Jobs[1].ID, tr.Jobs[2].ID}
	require.Equal(t, []string{"job1", "job1-2", "job2"}, ids)
	// SWIM's input becomes whole blocks of 64 MiB, at least one. The number of reduces is
	// round((shuffle+output)/64 MiB), at least one.
	j := tr.Jobs[2]
	require.EqualValues(t, 12000, j.Submit)
	require.Len(t, j.Maps, 4)
	require.Len(t, j.Reduces, 3)
	require.EqualValues(t, 1500, j.Maps[0].Time)
	require.Len(t, tr.Jobs[0].Reduces, 1)

	_, err = Read([]string{"testdata/swim.tsv", "testdata/hadoop018.log"}, Options{})
	require.ErrorContains(t, err, "cannot be imported together")
	only, err := Read([]string{"testdata/swim.tsv"}, Options{SWIM: Rates{MapOnly: true, Spread: 0.3, Seed: 4}})
	require.NoError(t, err)
	require.Empty(t, only.Jobs[0].Reduces)
	require.NotEqual(t, only.Jobs[2].Maps[0].Time, only.Jobs[2].Maps[1].Time)
	again, err := Read([]string{"testdata/swim.tsv"}, Options{SWIM: Rates{MapOnly: true, Spread: 0.3, Seed: 4}})
	require.NoError(t, err)
	require.Equal(t, only.Jobs, again.Jobs)
	bare, err := Read([]string{"testdata/swim.tsv"}, Options{SWIM: Rates{Map: 67.108864}})
	require.NoError(t, err)
	require.EqualValues(t, 1000, bare.Jobs[2].Maps[0].Time, "no overhead")
}

// TestSWIMRowsThatAreTooLarge checks that a row with too many tasks for a job counts as damage,
// with its line number. The importer must not truncate it.
func TestSWIMRowsThatAreTooLarge(t *testing.T) {
	table := "a\t1\t1\t99999999999999999\t1\t1\nb\t2\t1\t1\t99999999999999999\t1\nc\t3\t1\t1\t1\t1\n"
	tr := readString(t, table)
	require.Len(t, tr.Jobs, 1)
	require.Len(t, tr.Damage, 2)
	require.EqualValues(t, 1, tr.Damage[0].Line)
	require.Contains(t, tr.Damage[0].Text, "100000000000000000 bytes of input make 1490116120 maps, want at most 5000000")
	require.Contains(t, tr.Damage[1].Text, "reduces, want at most 5000000")
}

// facts returns the journal of a job with a failed map and a reduce that starts before the maps are
// done.
func facts(t testing.TB) []byte {
	b := history.AppendHeader(nil)
	m := func(n, attempt int32) job.Attempt {
		return job.Attempt{Task: job.Task{Job: 3, Index: n, Type: job.Map}, N: attempt}
	}
	r := job.Attempt{Task: job.Task{Job: 3, Type: job.Reduce}}
	for _, e := range []event.Event{
		{Type: event.Started, Time: 1, Name: "202611210753"},
		{Type: event.TrackerJoined, Time: 1, Tracker: 1, Name: "t1", Host: "h1", Rack: "/r1", Slots: [2]int32{2, 1}},
		{Type: event.TrackerJoined, Time: 1, Tracker: 2, Name: "t2", Host: "h2", Rack: "/r1", Slots: [2]int32{2, 1}},
		{Type: event.TrackerJoined, Time: 1, Tracker: 4, Name: "t4", Host: "h2", Rack: "/r1", Slots: [2]int32{1, 0}},
		{Type: event.TrackerJoined, Time: 1, Tracker: 3, Name: "t1", Host: "h1", Rack: "/r1", Slots: [2]int32{3, 1}},
		{Type: event.JobSubmitted, Time: 1000, Job: 3, Spec: &job.Spec{Name: "n", User: "u", Queue: "q", Reduces: 1,
			MapLimit: 2, SlowStart: 500000, Deadline: 99000,
			Splits: []job.SplitMeta{{Hosts: []string{"h1"}, Length: 10}, {Length: 20}},
			Conf:   []job.Property{{Name: "mapred.fairscheduler.pool", Value: "p"}, {Name: "x", Value: "y"}}}},
		{Type: event.JobStarted, Time: 1100, Job: 3},
		{Type: event.JobDeadlineChanged, Time: 1200, Job: 3, N: 88000},
		{Type: event.AttemptStarted, Time: 2000, Job: 3, Attempt: m(0, 0), Tracker: 3},
		{Type: event.AttemptFinished, Time: 3000, Job: 3, Attempt: m(0, 0), Tracker: 3, State: job.AttemptFailed},
		{Type: event.AttemptStarted, Time: 3000, Job: 3, Attempt: m(0, 1), Tracker: 2},
		{Type: event.AttemptStarted, Time: 3000, Job: 3, Attempt: m(1, 0), Tracker: 3},
		{Type: event.AttemptFinished, Time: 5000, Job: 3, Attempt: m(1, 0), Tracker: 3, State: job.AttemptSucceeded},
		{Type: event.TaskFinished, Time: 5000, Job: 3, Attempt: m(1, 0), TaskState: job.TaskSucceeded},
		{Type: event.AttemptStarted, Time: 5000, Job: 3, Attempt: r, Tracker: 3, Slot: job.Reduce},
		{Type: event.AttemptFinished, Time: 8000, Job: 3, Attempt: m(0, 1), Tracker: 2, State: job.AttemptSucceeded},
		{Type: event.TaskFinished, Time: 8000, Job: 3, Attempt: m(0, 1), TaskState: job.TaskSucceeded},
		{Type: event.AttemptFinished, Time: 12000, Job: 3, Attempt: r, Tracker: 3, State: job.AttemptSucceeded,
			ShuffleDone: 8500, SortDone: 9000},
		{Type: event.JobFinished, Time: 12500, Job: 3, JobState: job.Succeeded},
	} {
		var err error
		b, err = history.AppendRecord(b, &e)
		require.NoError(t, err)
	}
	return b
}

func TestJournal(t *testing.T) {
	b := facts(t)
	tr := readString(t, string(b))
	require.Empty(t, tr.Damage)
	require.Equal(t, [2]int32{6, 2}, tr.Slots)
	// A TaskTracker that rejoined replaced its predecessor. Two TaskTrackers are on h2.
	require.Equal(t, []trace.Node{{Host: "h1", Rack: "/r1"}, {Host: "h2", Rack: "/r1"}, {Host: "h2", Rack: "/r1"}},
		tr.Nodes)
	require.Equal(t, []*trace.Job{{ID: "job_202611210753_0003", Name: "n", User: "u", Queue: "q", Submit: 1000,
		Launch: 1100, Finish: 12500, Deadline: 88000, State: job.Succeeded,
		Maps: []trace.Map{{Time: 5000, Start: 3000, Host: "h2", Hosts: []string{"h1"}, Input: 10, Failed: []int64{1000}},
			{Time: 2000, Start: 3000, Host: "h1", Input: 20}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 1000, Time: 3000, Start: 5000, Host: "h1"}},
		Conf: []job.Property{{Name: "mapred.fairscheduler.pool", Value: "p"},
			{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "0.5"},
			{Name: "mapreduce.job.running.map.limit", Value: "2"}}}}, tr.Jobs)

	torn := readString(t, string(b[:len(b)-5]))
	require.Len(t, torn.Damage, 1)
	require.Equal(t, job.Running, torn.Jobs[0].State)
}

// TestExportRoundTrip checks that import(export(t)) equals t, plain and compressed, for traces from
// several formats.
func TestExportRoundTrip(t *testing.T) {
	for _, name := range []string{"hadoop018.log", "job_201201010000_0007_bob_sort.log", "small.jhist", "rumen.json",
		"swim.tsv"} {
		from, err := Read([]string{filepath.Join("testdata", name)}, Options{})
		require.NoError(t, err)
		from.Damage = nil
		from.Slots = [2]int32{4, 2}
		var plain bytes.Buffer
		require.NoError(t, codec.Write(&plain, codec.Header{Name: from.Name, Origin: from.Origin, Nodes: from.Nodes,
			Slots: from.Slots}, from.Source()))
		require.Equal(t, from, readString(t, plain.String()), name)

		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(plain.Bytes())
		require.NoError(t, err)
		require.NoError(t, z.Close())
		file := filepath.Join(t.TempDir(), "t.json.gz")
		require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o644))
		again, err := Read([]string{file}, Options{})
		require.NoError(t, err)
		require.Equal(t, from, again, name)
		_, err = Read([]string{file, file}, Options{})
		require.ErrorContains(t, err, "alone")
	}
}

// TestByteOrderMark checks that a byte order mark at the start of a text has no effect.
func TestByteOrderMark(t *testing.T) {
	for _, name := range []string{"hadoop018.log", "small.jhist", "rumen.json", "swim.tsv"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		want := readString(t, string(text))
		got := readString(t, byteOrderMark+string(text))
		require.Equal(t, want, got, name)
		require.Equal(t, want.Jobs, readString(t, "!!FILE="+name+"!!\n"+byteOrderMark+string(text)).Jobs, name)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "rumen.json"))
	require.NoError(t, err)
	var exported bytes.Buffer
	want := readString(t, string(text))
	require.NoError(t, codec.Write(&exported, codec.Header{}, want.Source()))
	require.Equal(t, want.Jobs, readString(t, byteOrderMark+exported.String()).Jobs)
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "fuzz")))
	require.NoError(t, os.Remove(filepath.Join(dir, "swim.tsv")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes"), []byte("no log"), 0o644))
	tr, err := Read([]string{dir}, Options{Name: "all"})
	require.NoError(t, err)
	require.Len(t, tr.Jobs, 6)
	require.Equal(t, "all", tr.Name)
}

// TestDropIdle checks that DropIdle removes the periods of inactivity, as in SIM section IV-E.
func TestDropIdle(t *testing.T) {
	from := &trace.Trace{Jobs: []*trace.Job{
		{Submit: 1000, Finish: 5000, Deadline: 6000},
		{Submit: 4000, Maps: []trace.Map{{Time: 3000, Start: 4500}}}, // until 7000
		{Submit: 107000, Launch: 107500, Finish: 110000, Deadline: 120000, Maps: []trace.Map{{Start: 108000, Time: 5}}},
		{Submit: 108000, Finish: 109000},
		{Submit: 200000, Reduces: []trace.Reduce{{Start: 201000}}},
	}}
	s := DropIdle(from.Source())
	var got []trace.Job
	for {
		j, err := s.Next()
		if err != nil {
			break
		}
		got = append(got, *j)
	}
	require.Equal(t, *from.Jobs[1], got[1])
	require.Equal(t, trace.Job{Submit: 7000, Launch: 7500, Finish: 10000, Deadline: 20000,
		Maps: []trace.Map{{Start: 8000, Time: 5}}}, got[2])
	require.Equal(t, trace.Job{Submit: 8000, Finish: 9000}, got[3])
	require.Equal(t, trace.Job{Submit: 10000, Reduces: []trace.Reduce{{Start: 11000}}}, got[4])
	require.EqualValues(t, 108000, from.Jobs[2].Maps[0].Start, "the source's own jobs are left alone")
}
