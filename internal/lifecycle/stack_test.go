package lifecycle_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// diary records the names of ended parts, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) part(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		<-ctx.Done()
		d.note(name)
		return nil
	}
}

func TestLastStartedStopsFirst(t *testing.T) {
	var d diary
	ctx, cancel := context.WithCancel(t.Context())
	s := lifecycle.NewStack(ctx)
	s.OnStop("journal", func() error { d.note("journal"); return nil })
	s.Start("owner", d.part("owner"))
	s.Start("rpc", d.part("rpc"))
	cancel()
	require.NoError(t, s.Wait())
	require.Equal(t, []string{"rpc", "owner", "journal"}, d.lines)
}

func TestOneFailureStopsAll(t *testing.T) {
	var d diary
	s := lifecycle.NewStack(t.Context())
	s.Start("below", d.part("below"))
	bad := errors.New("bad")
	s.Start("middle", func(context.Context) error { return bad })
	s.Start("above", d.part("above"))
	require.Equal(t, bad, s.Wait())
	require.Equal(t, []string{"above", "below"}, d.lines)
	require.Equal(t, bad, s.Stop(), "a second call changes nothing")
}

func TestDoneIsNoFailure(t *testing.T) {
	var d diary
	ctx, cancel := context.WithCancel(t.Context())
	s := lifecycle.NewStack(ctx)
	done := make(chan struct{})
	s.Start("short", func(context.Context) error { close(done); return nil })
	s.Start("long", d.part("long"))
	<-done
	cancel()
	require.NoError(t, s.Wait())
}

func TestPanicIsAFailure(t *testing.T) {
	s := lifecycle.NewStack(t.Context())
	s.Start("buggy", func(context.Context) error { panic("oh") })
	err := s.Wait()
	require.True(t, failure.Is(err, failure.Internal), "%v", err)
	require.ErrorContains(t, err, "buggy")
}
