package hadoop

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// facts returns the facts of a job. It has a failed map attempt, a map with two concurrent
// attempts, a map whose output is lost, a reduce, custom counters, and texts that need escaping.
func facts(t testing.TB, end job.State) []byte {
	t.Helper()
	spec := &job.Spec{Name: `q1 = "a.b" (x)[y]{z}\ täglich`, User: "ann-lee", Queue: "default", Priority: job.Normal,
		Splits: []job.SplitMeta{{Hosts: []string{"n1", "n2"}, Length: 100}, {}}, Reduces: 1, MapAttempts: 4,
		ReduceAttempts: 4}
	at := func(typ job.TaskType, index, n int32) job.Attempt {
		return job.Attempt{Task: job.Task{Job: 7, Index: index, Type: typ}, N: n}
	}
	counters := func(records int64) *job.Counters {
		c := &job.Counters{}
		c.Builtin[job.MapInputRecords], c.Builtin[job.FileBytesRead] = records, 10*records
		c.Add("My (group)", "odd=", records)
		return c
	}
	const t0 = 1_700_000_000_000
	list := []event.Event{
		{Type: event.Started, Time: t0, Name: "202611210753"},
		{Type: event.TrackerJoined, Time: t0, Tracker: 1, Name: "tracker_n1:50060", Host: "n1", Rack: "/r1",
			Addr: "n1:50060"},
		{Type: event.TrackerJoined, Time: t0, Tracker: 2, Name: "tracker_n2:50060", Host: "n2", Rack: "/r2",
			Addr: "n2:50060"},
		{Type: event.JobSubmitted, Time: t0 + 1, Job: 7, Spec: spec},
		{Type: event.JobStarted, Time: t0 + 2, Job: 7},
		{Type: event.JobPriorityChanged, Time: t0 + 3, Job: 7, Priority: job.High},
		{Type: event.JobMoved, Time: t0 + 4, Job: 7, Name: "prod", Text: "pool"},
		{Type: event.AttemptStarted, Time: t0 + 10, Job: 7, Attempt: at(job.Map, 0, 0), Tracker: 1},
		{Type: event.AttemptStarted, Time: t0 + 10, Job: 7, Attempt: at(job.Map, 1, 0), Tracker: 2, Locality: job.NoData},
		{Type: event.AttemptFinished, Time: t0 + 20, Job: 7, Attempt: at(job.Map, 0, 0), Tracker: 1, State: job.AttemptFailed,
			Text: "panic: no \"luck\"\n\tat x.go:1"},
		{Type: event.AttemptStarted, Time: t0 + 21, Job: 7, Attempt: at(job.Map, 1, 1), Tracker: 1, Locality: job.NoData},
		{Type: event.AttemptStarted, Time: t0 + 22, Job: 7, Attempt: at(job.Map, 0, 1), Tracker: 2, Locality: job.RackLocal},
		{Type: event.AttemptFinished, Time: t0 + 40, Job: 7, Attempt: at(job.Map, 1, 1), Tracker: 1,
			State: job.AttemptSucceeded, Counters: counters(5)},
		{Type: event.TaskFinished, Time: t0 + 40, Job: 7, Attempt: at(job.Map, 1, 1), TaskState: job.TaskSucceeded},
		{Type: event.AttemptFinished, Time: t0 + 41, Job: 7, Attempt: at(job.Map, 1, 0), Tracker: 2, State: job.AttemptKilled,
			Text: "another attempt was quicker"},
		{Type: event.AttemptFinished, Time: t0 + 50, Job: 7, Attempt: at(job.Map, 0, 1), Tracker: 2,
			State: job.AttemptSucceeded, Counters: counters(3)},
		{Type: event.TaskFinished, Time: t0 + 50, Job: 7, Attempt: at(job.Map, 0, 1), TaskState: job.TaskSucceeded},
		{Type: event.AttemptStarted, Time: t0 + 51, Job: 7, Attempt: at(job.Reduce, 0, 0), Tracker: 1, Slot: job.Reduce},
		{Type: event.TrackerLost, Time: t0 + 55, Tracker: 2, Text: "silent"},
		{Type: event.TaskReopened, Time: t0 + 55, Job: 7, Attempt: at(job.Map, 0, 1), State: job.AttemptKilled,
			Text: "its TaskTracker was lost"},
		{Type: event.AttemptStarted, Time: t0 + 56, Job: 7, Attempt: at(job.Map, 0, 2), Tracker: 1},
		{Type: event.AttemptFinished, Time: t0 + 70, Job: 7, Attempt: at(job.Map, 0, 2), Tracker: 1,
			State: job.AttemptSucceeded, Counters: counters(3)},
		{Type: event.TaskFinished, Time: t0 + 70, Job: 7, Attempt: at(job.Map, 0, 2), TaskState: job.TaskSucceeded},
	}
	if end == job.Succeeded {
		list = append(list,
			event.Event{Type: event.AttemptFinished, Time: t0 + 90, Job: 7, Attempt: at(job.Reduce, 0, 0), Tracker: 1,
				State: job.AttemptSucceeded, Counters: &job.Counters{}, ShuffleDone: t0 + 75, SortDone: t0 + 76},
			event.Event{Type: event.TaskFinished, Time: t0 + 90, Job: 7, Attempt: at(job.Reduce, 0, 0),
				TaskState: job.TaskSucceeded},
			event.Event{Type: event.JobFinished, Time: t0 + 100, Job: 7, JobState: end, Counters: counters(8)})
	} else {
		list = append(list,
			event.Event{Type: event.AttemptFinished, Time: t0 + 90, Job: 7, Attempt: at(job.Reduce, 0, 0), Tracker: 1,
				State: job.AttemptFailed, Text: "no"},
			event.Event{Type: event.TaskFinished, Time: t0 + 90, Job: 7, Attempt: at(job.Reduce, 0, 0),
				TaskState: job.TaskFailed},
			event.Event{Type: event.TaskReopened, Time: t0 + 91, Job: 7, Attempt: at(job.Map, 1, 1), State: job.AttemptKilled,
				Text: "its TaskTracker was lost"},
			event.Event{Type: event.JobFinished, Time: t0 + 100, Job: 7, JobState: end, Counters: &job.Counters{},
				Text: "a reduce failed too often"})
	}
	b := history.AppendHeader(nil)
	var err error
	for i := range list {
		b, err = history.AppendRecord(b, &list[i])
		require.NoError(t, err)
	}
	return b
}

func TestGoldenFiles(t *testing.T) {
	for name, end := range map[string]job.State{"good": job.Succeeded, "bad": job.Failed} {
		var jh, cl bytes.Buffer
		_, err := JHist(&jh, bytes.NewReader(facts(t, end)), "file:/h/conf.xml")
		require.NoError(t, err)
		_, err = Classic(&cl, bytes.NewReader(facts(t, end)), "file:/h/conf.xml")
		require.NoError(t, err)
		golden.Compare(t, filepath.Join("testdata", name+".jhist"), jh.Bytes())
		golden.Compare(t, filepath.Join("testdata", name+".log"), cl.Bytes())
	}
}

// Each event is a JSON record with as many fields as the schema defines.
func TestEventsFitTheSchema(t *testing.T) {
	var schema struct {
		Fields []struct {
			Type any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(schemaJSON()), &schema))
	want := map[string]int{}
	for _, branch := range schema.Fields[1].Type.([]any) {
		r := branch.(map[string]any)
		want[namespace+"."+r["name"].(string)] = len(r["fields"].([]any))
	}
	seen := map[string]bool{}
	for _, end := range []job.State{job.Succeeded, job.Failed, job.Killed} {
		var b bytes.Buffer
		_, err := JHist(&b, bytes.NewReader(facts(t, end)), "")
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		require.Equal(t, "Avro-Json", lines[0])
		for _, line := range lines[2:] {
			var e struct {
				Type  string
				Event map[string]map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(line), &e), line)
			require.Contains(t, eventTypes(), e.Type)
			for name, record := range e.Event {
				require.Len(t, record, want[name], line)
				seen[name] = true
			}
		}
	}
	require.Len(t, seen, len(want)-1, "all records but that of setup and cleanup attempts")
}

// Winners count as succeeded. Attempts whose output was lost count as killed.
func TestTallies(t *testing.T) {
	j, err := JHist(&bytes.Buffer{}, bytes.NewReader(facts(t, job.Succeeded)), "")
	require.NoError(t, err)
	require.Equal(t, 2, j.Of[job.Map].Succeeded)
	require.Equal(t, 1, j.Of[job.Map].Failed)
	require.Equal(t, 2, j.Of[job.Map].Killed)
	require.EqualValues(t, 8, j.Of[job.Map].Counters.Builtin[job.MapInputRecords])
	v, _ := j.Of[job.Map].Counters.Get("My (group)", "odd=")
	require.EqualValues(t, 8, v)
	require.Equal(t, 1, j.Of[job.Reduce].Succeeded)
}

func TestNames(t *testing.T) {
	j := &Job{ID: job.ID{Cluster: "1", Seq: 12345}, Submit: 5, Launched: 6,
		Finished: time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local).UnixMilli(), State: job.Killed,
		Spec: &job.Spec{Name: "a-b_c*~ d" + strings.Repeat("é", 60), User: "x-y_z", Queue: "q-1"}}
	require.Equal(t, "2026/01/02/000012", j.Folder())
	require.True(t, strings.HasPrefix(j.JHistName(), "job_1_12345-5-x%2Dy_z-a%2Db_c*%7E+d%C3%A9"), j.JHistName())
	require.True(t, strings.HasSuffix(j.JHistName(), "-0-0-KILLED-q%2D1-6.jhist"), j.JHistName())
	require.Equal(t, 41, strings.Count(j.JHistName(), "%C3%A9"))
	require.True(t, strings.HasPrefix(j.ClassicName(), "job_1_12345_5_x-y%5Fz_a-b%5Fc*%7E+d"), j.ClassicName())
}

func TestDamagedFacts(t *testing.T) {
	whole := facts(t, job.Succeeded)
	_, err := JHist(&bytes.Buffer{}, bytes.NewReader(whole[:len(whole)/2]), "")
	require.Error(t, err)
	_, err = JHist(&bytes.Buffer{}, bytes.NewReader(history.AppendHeader(nil)), "")
	require.Equal(t, failure.Corrupt, failure.KindOf(err))
}

func FuzzFacts(f *testing.F) {
	f.Add(facts(f, job.Succeeded))
	f.Add(facts(f, job.Failed))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = JHist(&bytes.Buffer{}, bytes.NewReader(b), "")
		_, _ = Classic(&bytes.Buffer{}, bytes.NewReader(b), "")
	})
}

func TestTrackerPort(t *testing.T) {
	for addr, want := range map[string]int{"n1:50060": 50060, "[::1]:65535": 65535, "n1:65536": -1, "n1:655350": -1,
		"n1:-1": -1, "n1:http": -1, "n1": -1, "": -1} {
		require.Equal(t, want, tracker{addr: addr}.port(), addr)
	}
}
