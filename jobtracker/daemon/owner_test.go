package daemon

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// gatedLog is a journal on a disk that answers when the test says so.
type gatedLog struct {
	gate chan error
	mu   sync.Mutex
	n    int // appends that began
	size int
}

func (l *gatedLog) Append(b []byte) error {
	l.mu.Lock()
	l.n++
	l.size += len(b)
	l.mu.Unlock()
	return <-l.gate
}
func (l *gatedLog) Rotate([]byte) error { return nil }
func (l *gatedLog) Grown() bool         { return false }

func (l *gatedLog) appends() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func startOwner(t *testing.T, log factLog) (*owner, func() error) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	require.NoError(t, err)
	o := newOwner(m, newClock(0))
	o.fact = func(*event.Event) {}
	o.out = func(*jobtracker.Output) func() { return nil }
	first := m.Recovered(o.clock.now(), nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- o.run(ctx, first, log) }()
	return o, func() error { cancel(); return <-done }
}

func register(o *owner, name string) (int32, error) {
	in := &jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: name, Host: name, Incarnation: 1, Slots: [2]int32{1, 1}}}
	return input(context.Background(), o, in, func(o *jobtracker.Output) int32 { return o.Tracker })
}

// Nobody hears of a decision before the disk has it, and decisions that come while the disk is busy share its next write.
func TestRepliesWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &gatedLog{gate: make(chan error)}
		o, stop := startOwner(t, log)
		log.gate <- nil // the start

		var mu sync.Mutex
		answered := 0
		var group sync.WaitGroup
		ask := func(name string) {
			group.Go(func() {
				_, err := register(o, name)
				require.NoError(t, err)
				mu.Lock()
				answered++
				mu.Unlock()
			})
			synctest.Wait()
		}
		count := func() int {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return answered
		}
		ask("a")
		require.Equal(t, 2, log.appends())
		for i := range 50 {
			ask("b" + itoa(i))
		}
		require.Zero(t, count(), "the first write is not done")
		log.gate <- nil
		require.Equal(t, 1, count(), "the first one alone")
		require.Equal(t, 3, log.appends(), "fifty decisions are one write")
		log.gate <- nil
		require.Equal(t, 51, count())
		group.Wait()
		require.NoError(t, stop())
	})
}

// When the disk fails nothing of what it did not take is let out, and the daemon ends with the disk's error.
func TestDiskFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &gatedLog{gate: make(chan error, 2)}
		log.gate <- nil
		log.gate <- failure.New(failure.DiskFull, "write journal", "dir", nil)
		o, stop := startOwner(t, log)
		synctest.Wait() // the start is written
		_, err := register(o, "a")
		require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
		_, err = register(o, "b")
		require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
		require.True(t, failure.Is(stop(), failure.DiskFull))
	})
}

// A process that was stopped gives trackers the time that it could not listen.
func TestPauseMovesDeadlines(t *testing.T) {
	var p pauses
	require.Zero(t, p.look(1000))
	require.Zero(t, p.look(1000+2*beatEvery.Milliseconds()))
	require.EqualValues(t, 60_000, p.look(1000+2*beatEvery.Milliseconds()+60_000))
	require.Zero(t, p.look(1000+3*beatEvery.Milliseconds()+60_000))
}

func TestTrackersSurviveAPause(t *testing.T) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	require.NoError(t, err)
	o := newOwner(m, &clock{start: time.Now(), base: 1})
	lost := 0
	o.fact = func(e *event.Event) {
		if e.Type == event.TrackerLost {
			lost++
		}
	}
	o.out = func(*jobtracker.Output) func() { return nil }
	o.take(m.Recovered(1, nil), nil)
	o.pauses.look(o.clock.now())
	o.step(&jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: "t", Host: "t", Incarnation: 1}}, nil)
	o.clock.base += 2 * jobtracker.DefaultConfig().Expiry // SIGSTOP for that long
	o.tick()
	require.Zero(t, lost)
	for range 2 * jobtracker.DefaultConfig().Expiry / beatEvery.Milliseconds() { // the same time, awake
		o.clock.base += beatEvery.Milliseconds()
		o.tick()
	}
	require.Equal(t, 1, lost)
}

func TestBells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(0)
		base := b.version(7)
		news, err := b.wait(t.Context(), 7, base, time.Second)
		require.NoError(t, err)
		require.False(t, news)
		require.Empty(t, b.entries, "waiting leaves nothing behind")

		go func() {
			time.Sleep(time.Second)
			b.ring(7)
		}()
		began := time.Now()
		news, err = b.wait(t.Context(), 7, base, time.Minute)
		require.NoError(t, err)
		require.True(t, news)
		require.Equal(t, time.Second, time.Since(began))

		news, err = b.wait(t.Context(), 7, base, time.Minute) // what happened between two calls is not missed
		require.NoError(t, err)
		require.True(t, news)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = b.wait(ctx, 7, b.version(7), time.Minute)
		require.True(t, errors.Is(err, context.Canceled))

		b.forget(7)
		require.Equal(t, base, b.version(7))
		require.Zero(t, b.parked)
		require.NotEqual(t, base, newBells(1).version(7), "versions of a restarted JobTracker are others")
	})
}
