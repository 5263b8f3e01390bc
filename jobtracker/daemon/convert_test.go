package daemon

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

func goodReport() *tracker.Report {
	return &tracker.Report{Tracker: 3, Incarnation: 9, Seq: 7, Full: true, MapSlots: 2, ReduceSlots: 1,
		Attempt: []*tracker.AttemptReport{{Attempt: &tracker.Attempt{Job: 1, Type: uint32(job.Reduce), Index: 4, N: 1},
			State:    uint32(job.AttemptSucceeded),
			Progress: 1_000_000, HasCounters: true, Builtin: []uint32{2, uint32(job.NumCounters)}, BuiltinValue: []int64{5, 6},
			Counter: []*tracker.Counter{{Group: "g", Name: "n", Value: 6}, {Value: 7}},
			File:    []*tracker.OutputFile{{Name: "part-r-00004", Length: 10, Checksum: 11}}}},
		Fetch: []*tracker.FetchFailure{{Reduce: &tracker.Attempt{Job: 1, Type: 1},
			Map: &tracker.Attempt{Job: 1, Index: 2}}},
		Refused: []*tracker.Refusal{{Job: 1, Text: "not seen"}},
	}
}

func TestReportArrives(t *testing.T) {
	r := fromReport(goodReport())
	require.Len(t, r.Attempts, 1)
	a := r.Attempts[0]
	require.Equal(t, job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce, Index: 4}, N: 1}, a.Attempt)
	require.Equal(t, job.AttemptSucceeded, a.State)
	require.EqualValues(t, 5, a.Counters.Builtin[2])
	require.Equal(t, []job.UserCounter{{Group: "g", Name: "n", Value: 6}}, a.Counters.User)
	require.Equal(t, []job.OutputFile{{Name: "part-r-00004", Length: 10, Checksum: 11}}, a.Manifest)
	require.Len(t, r.Fetch, 1)
	require.Len(t, r.Refused, 1)
}

// A report in used memory is equal to one in new memory, and does not change what the machine has kept
// of the report before.
func TestReportsInUsedMemory(t *testing.T) {
	used := fromReport(goodReport())
	kept := *used
	attempt := kept.Attempts[0]
	user, manifest := attempt.Counters.User, attempt.Manifest
	wipe(used)
	counters := used.Attempts[:1][0].Counters
	next := &tracker.Report{Tracker: 4, Attempt: []*tracker.AttemptReport{
		{}, // left out
		{Attempt: &tracker.Attempt{Job: 2}, HasCounters: true, Builtin: []uint32{3, 4}, BuiltinValue: []int64{6}},
		{Attempt: &tracker.Attempt{Job: 3}},
	}}
	var want heartbeat.Report
	fillReport(&want, next)
	fillReport(used, next)
	require.Equal(t, &want, used)
	require.Same(t, counters, used.Attempts[0].Counters)
	require.EqualValues(t, 6, user[0].Value)
	require.EqualValues(t, 10, manifest[0].Length)
	require.Len(t, kept.Fetch, 1)
}

// A manifest must not make the job commit access files outside the directories of the attempt and
// the job.
func TestImpossibleFileNames(t *testing.T) {
	for _, name := range []string{"", "/etc/passwd", "../x", "a/../../x", "..", ".", "./a", "a//b", "a/",
		"_temporary/0/other/part", "_temporary", strings.Repeat("x", 5000)} {
		r := goodReport()
		r.Attempt[0].File[0].Name = name
		a := fromReport(r).Attempts[0]
		require.Equal(t, job.AttemptFailed, a.State, "%q", name)
		require.Equal(t, failure.Internal, a.Kind)
		require.Empty(t, a.Manifest)
	}
	for _, name := range []string{"part-r-00000", "a/b/c", "..a", "_x", "üñ"} {
		require.True(t, safeName(name), "%q", name)
	}
}

func TestMeaninglessAttemptsAreLeftOut(t *testing.T) {
	for _, bad := range []*tracker.AttemptReport{
		{}, {Attempt: &tracker.Attempt{Job: -1}}, {Attempt: &tracker.Attempt{Job: 1, Type: 9}},
		{Attempt: &tracker.Attempt{Job: 1, Index: -1}},
		{Attempt: &tracker.Attempt{Job: 1}, State: 77},
	} {
		require.Empty(t, fromReport(&tracker.Report{Attempt: []*tracker.AttemptReport{bad}}).Attempts)
	}
}

// No input causes a panic, and the machine receives only valid values.
func FuzzReport(f *testing.F) {
	b, err := proto.Marshal(goodReport())
	require.NoError(f, err)
	f.Add(b)
	setup := goodReport()
	setup.Attempt[0].Attempt.Type = uint32(job.Setup)
	b, err = proto.Marshal(setup)
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var r tracker.Report
		if proto.Unmarshal(b, &r) != nil {
			return
		}
		for _, a := range fromReport(&r).Attempts {
			if a.Attempt.Job <= 0 || a.Attempt.Type > job.Cleanup || a.Attempt.Index < 0 || a.Attempt.N < 0 ||
				a.State > job.AttemptKilled ||
				a.Progress < 0 || a.Progress > 1_000_000 || len(a.Text) > maxText || a.Kind > failure.Internal {
				t.Fatalf("%+v", a)
			}
			for _, file := range a.Manifest {
				if !safeName(file.Name) || file.Length < 0 {
					t.Fatalf("%+v", file)
				}
			}
		}
	})
}
