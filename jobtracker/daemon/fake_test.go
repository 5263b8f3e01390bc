package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
)

// fakeTracker is a TaskTracker whose tasks succeed immediately. Each task with final output writes
// one file, which contains its own name.
type fakeTracker struct {
	t     *testing.T
	c     *cluster
	name  string
	start int64

	mu     sync.Mutex
	held   map[string]bool // letters of task types that must not end
	write  func(dir, name string) error
	reply  *wire.RegisterReply
	states map[string]*wire.AttemptReport
}

func newFakeTracker(t *testing.T, c *cluster, name string) *fakeTracker {
	return &fakeTracker{t: t, c: c, name: name, start: time.Now().UnixMilli(), held: map[string]bool{},
		states: map[string]*wire.AttemptReport{}, write: writeOutput}
}

// writeOutput writes an output file that contains its name.
func writeOutput(dir, name string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644)
}

func (f *fakeTracker) hold(letter string)    { f.mu.Lock(); f.held[letter] = true; f.mu.Unlock() }
func (f *fakeTracker) release(letter string) { f.mu.Lock(); delete(f.held, letter); f.mu.Unlock() }

// run sends heartbeats until the test ends or stop is called.
func (f *fakeTracker) run() (stop func()) {
	conn, err := rpc.Dial(f.c.Addr(), rpctest.Options(f.t))
	require.NoError(f.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		client := wire.NewTrackersClient(conn)
		for seq := uint64(1); ctx.Err() == nil; seq++ {
			f.beat(ctx, client, seq)
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done; conn.Close() })
	f.t.Cleanup(stop)
	return stop
}

func (f *fakeTracker) beat(ctx context.Context, client wire.TrackersClient, seq uint64) {
	if f.reply == nil {
		r, err := client.Register(ctx, &wire.RegisterRequest{Protocol: rpc.Protocol, Name: f.name, Host: f.name,
			Addr: f.name + ":1", Incarnation: f.start, MapSlots: 2, ReduceSlots: 2, MemoryMb: 4096, Vcores: 4})
		if err != nil {
			return
		}
		f.reply = r
	}
	report := &wire.Report{Tracker: f.reply.Tracker, Incarnation: f.start, Seq: seq, Full: true, MapSlots: 2,
		ReduceSlots: 2}
	for _, s := range f.states {
		report.Attempt = append(report.Attempt, s)
	}
	d, err := client.Beat(ctx, report)
	if err != nil {
		return
	}
	if d.Register {
		f.reply, f.states, f.start = nil, map[string]*wire.AttemptReport{}, f.start+1
		return
	}
	wanted := map[string]bool{}
	for _, a := range d.Run {
		id := job.Attempt{Task: job.Task{Job: a.Job, Type: job.TaskType(a.Type), Index: a.Index},
			N: a.N}.ID(f.reply.Cluster).String()
		wanted[id] = true
		f.work(ctx, client, id, a)
	}
	for id := range f.states {
		if !wanted[id] {
			delete(f.states, id)
		}
	}
}

// work advances an attempt by one step.
func (f *fakeTracker) work(ctx context.Context, client wire.TrackersClient, id string, a *wire.Attempt) {
	s := f.states[id]
	if s == nil {
		f.states[id] = &wire.AttemptReport{Attempt: a, State: uint32(job.AttemptRunning)}
		return
	}
	letter := string(job.TaskType(a.Type).Letter())
	f.mu.Lock()
	held := f.held[letter]
	f.mu.Unlock()
	if held || s.State != uint32(job.AttemptRunning) {
		return
	}
	info, err := client.GetJob(ctx, &wire.GetJobRequest{Tracker: f.reply.Tracker, Job: a.Job})
	if err != nil {
		return
	}
	s = &wire.AttemptReport{Attempt: a, State: uint32(job.AttemptSucceeded), HasCounters: true, Progress: 1_000_000,
		Builtin: []uint32{uint32(job.MapInputRecords)}, BuiltinValue: []int64{10},
		Counter: []*wire.Counter{{Group: "g", Name: "n", Value: 1}}}
	if info.OutputDir != "" && (letter == "r" || info.Reduces == 0) {
		name := fmt.Sprintf("part-%s-%05d", letter, a.Index)
		dir := filepath.Join(strings.TrimPrefix(info.OutputDir, "file:"), "_temporary/0", id)
		if f.write(dir, name) != nil {
			return
		}
		s.File = []*wire.OutputFile{{Name: name, Length: int64(len(name))}}
	}
	f.states[id] = s
}

func itoa(n int) string { return strconv.Itoa(n) }

// names returns the names in a directory.
func names(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	sort.Strings(list)
	return list
}
