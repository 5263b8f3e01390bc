package inputlog

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
)

func drawAttempt(t *rapid.T) job.Attempt {
	return job.Attempt{Task: job.Task{Job: rapid.Int32().Draw(t, "job"), Index: rapid.Int32().Draw(t, "index"),
		Type: job.TaskType(rapid.Uint8().Draw(t, "type"))}, N: rapid.Int32().Draw(t, "n")}
}

func drawInput(t *rapid.T) *jobtracker.Input {
	i32, i64, u64, text := rapid.Int32(), rapid.Int64(), rapid.Uint64(), rapid.String()
	in := &jobtracker.Input{Kind: jobtracker.InputKind(rapid.Uint8().Draw(t, "kind")), Now: i64.Draw(t, "now"),
		Req: u64.Draw(t, "req"), Job: i32.Draw(t, "job"),
		Attempt: drawAttempt(t), Tracker: i32.Draw(t, "tracker"), Priority: job.Priority(rapid.Int8().Draw(t, "priority")),
		Millis: i64.Draw(t, "millis"),
		Text:   text.Draw(t, "text"), Err: text.Draw(t, "err"), Hosts: rapid.SliceOf(text).Draw(t, "hosts")}
	if rapid.Bool().Draw(t, "spec") {
		in.Spec = &job.Spec{Name: text.Draw(t, "name"), Reduces: i32.Draw(t, "reduces"),
			Splits: []job.SplitMeta{{Hosts: []string{"h"}, Length: 1}}}
	}
	if rapid.Bool().Draw(t, "register") {
		in.Register = &jobtracker.Register{Name: text.Draw(t, "name"), Host: text.Draw(t, "host"), Rack: text.Draw(t, "rack"),
			Addr:        text.Draw(t, "addr"),
			Incarnation: i64.Draw(t, "inc"), Slots: [2]int32{i32.Draw(t, "s0"), i32.Draw(t, "s1")}, Memory: i32.Draw(t, "mem"),
			VCores: i32.Draw(t, "cores")}
	}
	if rapid.Bool().Draw(t, "report") {
		in.Report = drawReport(t)
	}
	in.Name, in.Drain = text.Draw(t, "tracker name"),
		jobtracker.Drain(rapid.Uint8().Draw(t, "drain"))
	if rapid.Bool().Draw(t, "setup") {
		in.Setup = drawSetup(t)
	}
	return in
}

func drawSetup(t *rapid.T) *jobtracker.PolicySetup {
	text := rapid.String()
	s := &jobtracker.PolicySetup{Name: text.Draw(t, "scheduler"), Settings: rapid.MapOf(text, text).Draw(t, "settings")}
	for range rapid.IntRange(0, 2).Draw(t, "files") {
		f := scheduler.File{Key: text.Draw(t, "key"), Path: text.Draw(t, "path")}
		if rapid.Bool().Draw(t, "exists") {
			f.Data = rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		}
		s.Files = append(s.Files, f)
	}
	return s
}

func drawReport(t *rapid.T) *heartbeat.Report {
	i32, i64, text := rapid.Int32(), rapid.Int64(), rapid.String()
	r := &heartbeat.Report{Tracker: i32.Draw(t, "tracker"), Incarnation: i64.Draw(t, "inc"),
		Seq: rapid.Uint64().Draw(t, "seq"), Full: rapid.Bool().Draw(t, "full"),
		Slots: [2]int32{i32.Draw(t, "s0"), i32.Draw(t, "s1")}, Unhealthy: text.Draw(t, "unhealthy"),
		OtherLoad: i32.Draw(t, "load")}
	for range rapid.IntRange(0, 2).Draw(t, "attempts") {
		a := heartbeat.AttemptReport{Attempt: drawAttempt(t), State: job.AttemptState(rapid.Uint8().Draw(t, "state")),
			Phase:    job.Phase(rapid.Uint8().Draw(t, "phase")),
			Progress: i32.Draw(t, "progress"), ShuffleDone: i64.Draw(t, "sh"), SortDone: i64.Draw(t, "so"),
			Range: job.Range{Start: i64.Draw(t, "from"), Length: i64.Draw(t, "n")},
			Kind:  failure.Kind(rapid.Uint8().Draw(t, "k")),
			Text:  text.Draw(t, "text"), Status: text.Draw(t, "status")}
		if rapid.Bool().Draw(t, "counters") {
			a.Counters = &job.Counters{User: []job.UserCounter{{Group: "g", Name: text.Draw(t, "cname"),
				Value: i64.Draw(t, "v")}}}
			a.Counters.Builtin[3] = i64.Draw(t, "builtin")
		}
		if rapid.Bool().Draw(t, "manifest") {
			a.Manifest = []job.OutputFile{{Name: text.Draw(t, "file"), Length: i64.Draw(t, "len"),
				Checksum: rapid.Uint32().Draw(t, "crc")}}
		}
		r.Attempts = append(r.Attempts, a)
	}
	if rapid.Bool().Draw(t, "more") {
		r.Fetch = []heartbeat.FetchFailure{{Reduce: drawAttempt(t), Map: drawAttempt(t)}}
		r.Refused = []heartbeat.Refusal{{Job: i32.Draw(t, "rjob"), Text: text.Draw(t, "rtext")}}
		r.Unheld = []heartbeat.Unheld{{Attempt: drawAttempt(t), CPU: i32.Draw(t, "ucpu"), Memory: i32.Draw(t, "umem"),
			HeldCPU: i32.Draw(t, "hcpu"), HeldMemory: i32.Draw(t, "hmem"), Why: text.Draw(t, "why")}}
	}
	return r
}

func TestInputsSurviveTheCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got := jobtracker.Input{Text: "left over"}
		require.NoError(t, DecodeInput(AppendInput(nil, in), &got))
		if d := cmp.Diff(in, &got, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		if in.Setup != nil {
			for i, f := range in.Setup.Files {
				require.Equal(t, f.Data == nil, got.Setup.Files[i].Data == nil, "no file is not an empty one")
			}
		}
	})
}

func TestFile(t *testing.T) {
	start := &Start{Config: jobtracker.DefaultConfig(), Scheduler: "fifo",
		Settings: map[string]string{"howdah.fifo.assign.multiple": "true"},
		Files: []scheduler.File{{Key: "mapred.fair.scheduler.allocation.file", Path: "pools.xml",
			Data: []byte("<allocations/>")}}, Speculator: "late", Now: 7}
	b, err := AppendStart(nil, start)
	require.NoError(t, err)
	b, err = AppendRecord(b, &jobtracker.Input{Kind: jobtracker.InKillJob, Job: 3})
	require.NoError(t, err)

	d, got, err := NewDecoder(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, start, got)
	var in jobtracker.Input
	require.NoError(t, d.Next(&in))
	require.Equal(t, jobtracker.Input{Kind: jobtracker.InKillJob, Job: 3}, in)
	require.ErrorIs(t, d.Next(&in), io.EOF)

	d, _, err = NewDecoder(bytes.NewReader(b[:len(b)-1]))
	require.NoError(t, err)
	require.ErrorIs(t, d.Next(&in), history.ErrTorn)

	_, _, err = NewDecoder(bytes.NewReader(nil))
	require.True(t, failure.Is(err, failure.Corrupt))
}

func FuzzInput(f *testing.F) {
	f.Add(AppendInput(nil, &jobtracker.Input{Kind: jobtracker.InBeat,
		Report: &heartbeat.Report{Tracker: 1, Seq: 2, Attempts: []heartbeat.AttemptReport{{Text: "x"}}}}))
	f.Add(AppendInput(nil, &jobtracker.Input{Kind: jobtracker.InBeat,
		Report: &heartbeat.Report{Unheld: []heartbeat.Unheld{{Attempt: job.Attempt{N: 1}, CPU: 2, Memory: 3, HeldCPU: 4,
			HeldMemory: 5, Why: "x"}}}}))
	f.Add(AppendInput(nil, &jobtracker.Input{Kind: jobtracker.InLimits, Millis: 1,
		Limits: []heartbeat.Limit{{Attempt: job.Attempt{N: 1}, CPU: 2, Memory: 3, Why: "x"}, {}}}))
	f.Add(AppendInput(nil, &jobtracker.Input{Kind: jobtracker.InDrain, Name: "tt", Drain: jobtracker.DrainRerun,
		Text: "why"}))
	f.Add(AppendInput(nil, &jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: "a"},
		Hosts: []string{"h"}}))
	f.Add(AppendInput(nil, &jobtracker.Input{Kind: jobtracker.InSetPolicy, Name: "u",
		Setup: &jobtracker.PolicySetup{Name: "fair", Settings: map[string]string{"k": "v", "l": ""},
			Files: []scheduler.File{{Key: "k", Path: "p", Data: []byte("d")}, {Key: "none"}, {Key: "empty", Data: []byte{}}}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var in, twin jobtracker.Input
		if DecodeInput(b, &in) != nil {
			return
		}
		again := AppendInput(nil, &in)
		require.NoError(t, DecodeInput(again, &twin))
		require.Equal(t, again, AppendInput(nil, &twin))
	})
}
