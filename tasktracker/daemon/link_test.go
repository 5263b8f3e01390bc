package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/tasktracker"
)

// A machine behind a Link makes the calls of a TaskTracker.
func TestLink(t *testing.T) {
	c := &cluster{jt: newFakeJobTracker(), dir: t.TempDir()}
	c.serve(t)
	defer func() { c.stopRPC(); <-c.rpcDone }()
	addr, err := c.addr.find(t.Context())
	require.NoError(t, err)
	l, err := NewLink(addr, rpc.Options{}, "simulated", [2]int32{2, 1})
	require.NoError(t, err)
	defer l.Close()
	beats := 0
	l.Tap = func(time.Duration) { beats++ }
	c.jt.jobs[7] = &wire.JobInfo{TaskTimeout: 5, TasksPerChild: -1, OutputDir: "file:/out"}

	m := tasktracker.New(tasktracker.Config{Slots: [2]int32{2, 1}, Incarnation: 3, Retry: 1, MaxRetry: 1})
	news := make(chan struct{}, 1)
	call := func(in tasktracker.Input, want tasktracker.OutputKind) (tasktracker.Input, string) {
		for _, o := range m.Step(&in, nil) {
			if o.Kind == want {
				return l.Call(t.Context(), &o, func() { news <- struct{}{} })
			}
		}
		t.Fatalf("the machine did not ask for %v", want)
		return in, ""
	}
	in, _ := call(tasktracker.Input{Now: 1}, tasktracker.OutRegister)
	require.Equal(t, tasktracker.Input{Kind: tasktracker.InRegistered, Tracker: 1, Cluster: "202611210000"}, in)
	in.Now = 1
	c.jt.want([]*wire.Attempt{mapAttempt(7, 0, 0)}, 7)
	<-news
	in, _ = call(in, tasktracker.OutBeat)
	require.Equal(t, tasktracker.InDesired, in.Kind)
	require.Equal(t, []job.Attempt{{Task: job.Task{Job: 7, Type: job.Map}}}, in.Desired.Run)
	require.Equal(t, 1, beats)
	in, dir := call(in, tasktracker.OutLocalize)
	require.Equal(t, tasktracker.Input{Kind: tasktracker.InJobReady, Job: 7,
		JobInfo: tasktracker.JobInfo{Timeout: 5, TasksPerChild: -1, OwnProgram: true}}, in)
	require.Equal(t, "file:/out", dir)

	in, _ = l.Call(t.Context(), &tasktracker.Output{Kind: tasktracker.OutLocalize, Job: 8}, nil)
	require.Equal(t, tasktracker.InJobRefused, in.Kind)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ = l.Call(ended, &tasktracker.Output{Kind: tasktracker.OutRegister}, nil)
	require.Equal(t, tasktracker.InLost, in.Kind)
}
