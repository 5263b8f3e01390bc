package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func TestReportsFit(t *testing.T) {
	const most = 1 << 20
	attempt := func(state job.AttemptState, counters, files int) *wire.AttemptReport {
		a := &wire.AttemptReport{Attempt: &wire.Attempt{Job: 1}, State: uint32(state), HasCounters: true}
		for i := range counters {
			a.Counter = append(a.Counter, &wire.Counter{Group: strings.Repeat("g", 100), Name: fmt.Sprint(i), Value: 1})
		}
		for i := range files {
			a.File = append(a.File, &wire.OutputFile{Name: fmt.Sprint(strings.Repeat("d/", 100), i)})
		}
		return a
	}
	small := &wire.Report{Attempt: []*wire.AttemptReport{attempt(job.AttemptRunning, 10, 0),
		attempt(job.AttemptSucceeded, 10, 3)}}
	before := proto.Clone(small)
	fit(small, most)
	require.True(t, proto.Equal(before, small))

	r := &wire.Report{}
	for range 100 {
		r.Attempt = append(r.Attempt, attempt(job.AttemptRunning, 120, 0))
	}
	r.Attempt = append(r.Attempt, attempt(job.AttemptSucceeded, 120, 3))
	fit(r, most)
	require.False(t, rpc.TooLarge(r, most))
	require.Len(t, r.Attempt, 101, "the JobTracker would kill an attempt that is missing")
	require.False(t, r.Attempt[0].HasCounters)
	require.Len(t, r.Attempt[100].Counter, 120, "the result of an ended attempt is not repeated later")
	require.EqualValues(t, job.AttemptSucceeded, r.Attempt[100].State)

	r = &wire.Report{Attempt: []*wire.AttemptReport{attempt(job.AttemptSucceeded, 10, 3),
		attempt(job.AttemptSucceeded, 10, 10_000)}}
	fit(r, most)
	require.False(t, rpc.TooLarge(r, most))
	require.EqualValues(t, job.AttemptSucceeded, r.Attempt[0].State)
	require.EqualValues(t, job.AttemptFailed, r.Attempt[1].State)
	require.EqualValues(t, failure.Limit, r.Attempt[1].Kind)
	require.Contains(t, r.Attempt[1].Text, "ipc.maximum.data.length")
}
