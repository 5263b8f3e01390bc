package daemon

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// misbehaving returns a child without a process and the other end of its umbilical.
func misbehaving(t *testing.T, large int) (c *child, line, theirs net.Conn) {
	d := &Daemon{log: slog.New(slog.DiscardHandler), large: make(chan struct{}, large)}
	d.base, d.end = context.WithCancel(t.Context())
	line, theirs = net.Pipe()
	t.Cleanup(func() { d.end(); line.Close(); theirs.Close() })
	return &child{d: d, attempt: job.Attempt{Task: job.Task{Job: 1}}}, line, theirs
}

// TestAChildThatNeverEndsItsMessage checks that such a child does not block others for long.
func TestAChildThatNeverEndsItsMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, line, theirs := misbehaving(t, 1)
		go theirs.Write([]byte{0, 0x10, 0, 0}) // 1 MiB
		done := make(chan error)
		go func() { done <- c.read(line) }()
		time.Sleep(messageTimeout - time.Second)
		require.Len(t, c.d.large, 1)
		require.False(t, c.killed)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.True(t, c.killed)
		theirs.Close() // as the kernel does when the process has ended
		require.NoError(t, <-done)
		require.Empty(t, c.d.large)
	})
}

// TestLargeMessagesWait checks that children send few large messages at once, however many children
// there are.
func TestLargeMessagesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, line, theirs := misbehaving(t, 1)
		c.d.large <- struct{}{} // another child's message
		go theirs.Write([]byte{0, 0x10, 0, 0, 1, 2, 3, 4, 5})
		done := make(chan error)
		go func() { done <- c.read(line) }()
		time.Sleep(time.Hour)
		require.False(t, c.killed, "the child is not at fault")
		c.d.end()
		require.NoError(t, <-done, "the TaskTracker stops nevertheless")
	})
}

func TestAnAttemptEndsOnce(t *testing.T) {
	c, line, theirs := misbehaving(t, 1)
	go func() {
		w := frame.NewWriter(theirs)
		for range 2 {
			_ = w.Write(&umbilical.FromChild{Done: &umbilical.Done{}})
		}
	}()
	c.meter = &meter{}
	c.d.end() // the owner has ended, too
	require.ErrorContains(t, c.read(line), "the attempt ended again")
	require.NoError(t, c.once(&c.asked, "asked"))
	require.Error(t, c.once(&c.asked, "asked"))
	c.attempt.N++
	require.NoError(t, c.once(&c.asked, "asked"), "a process can run several attempts")
}

// TestAnotherVersion checks that the error for a program with another version of howdah says so.
func TestAnotherVersion(t *testing.T) {
	for _, version := range []int32{0, umbilical.Version + 1} { // 0 = none
		c, line, theirs := misbehaving(t, 1)
		go func() {
			_ = frame.NewWriter(theirs).Write(&umbilical.FromChild{Ready: &umbilical.Ready{Pid: 1, Protocol: version}})
		}()
		err := c.read(line)
		require.ErrorContains(t, err, "built with another version of howdah")
		require.True(t, failure.Is(err, failure.Config))
	}
}
