package cgroup

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// fakeControl is a group in a kernel that accepts every limit unless refuse is set.
type fakeControl struct {
	now    Limits
	used   Usage
	left   int // number of running processes; each kill ends one process
	mu     sync.Mutex
	refuse error
}

func (c *fakeControl) refuseWith(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse = err
}

func (c *fakeControl) memory() (int64, error) {
	u, err := c.usage()
	return u.Memory, err
}
func (c *fakeControl) set(l Limits, _ *Limits) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse != nil {
		return c.refuse
	}
	c.now = l
	return nil
}
func (c *fakeControl) limitProcesses(int64) error { return nil }
func (c *fakeControl) limits() (Limits, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now, nil
}
func (c *fakeControl) use(memory int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used.Memory = memory
}
func (c *fakeControl) usage() (Usage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used, nil
}
func (c *fakeControl) kills() (int64, error)     { return 0, nil }
func (c *fakeControl) sources() []source         { return nil }
func (c *fakeControl) join(int) error            { return nil }
func (c *fakeControl) processes() ([]int, error) { return make([]int, c.left), nil }
func (c *fakeControl) kill() error {
	c.left = max(0, c.left-1)
	return nil
}
func (c *fakeControl) remove() error {
	if c.left > 0 {
		return errors.New("contains running processes")
	}
	return nil
}

func fakeGroup() (*Group, *fakeControl) {
	c := &fakeControl{}
	return &Group{tree: &Tree{log: slog.New(slog.DiscardHandler)}, path: "/howdah/test-1/child-1", control: c}, c
}

// held returns the limits in the kernel.
func held(t *testing.T, g *Group) Limits {
	l, err := g.Limits()
	require.NoError(t, err)
	return l
}

func TestLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := fakeGroup()
		require.NoError(t, g.Set(Limits{Weight: 100}))
		require.NoError(t, g.Lease(Limits{Weight: 20, Quota: 100}, 2*time.Second))
		require.EqualValues(t, 20, held(t, g).Weight)
		time.Sleep(1500 * time.Millisecond)
		require.NoError(t, g.Lease(Limits{Weight: 30}, 2*time.Second))
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, Limits{Weight: 30}, held(t, g), "a renewed lease ended at its old time")
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, Limits{Weight: 100}, held(t, g), "the lease is over")

		require.NoError(t, g.Lease(Limits{Weight: 40}, time.Second))
		require.NoError(t, g.Set(Limits{Weight: 50}))
		require.NoError(t, g.Lease(Limits{Weight: 60}, time.Second))
		require.NoError(t, g.Delete(context.Background()))
		require.NoError(t, g.Lease(Limits{Weight: 70}, time.Second))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, Limits{Weight: 70}, held(t, g), "a lease of a removed group changes nothing later")
	})
}

func TestHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kernel := fakeGroup()
		l := Limits{Memory: MinMemory + 1}
		require.False(t, g.Holds(Limits{}), "the limits are unknown")
		require.NoError(t, g.Set(l))
		require.True(t, g.Holds(l))
		require.True(t, g.Holds(Limits{Weight: DefaultWeight, Memory: MinMemory}), "the default and rounding")
		require.False(t, g.Holds(Limits{}))
		require.NoError(t, g.Lease(l, time.Second))
		require.False(t, g.Holds(l), "the lease could still change")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.True(t, g.Holds(l))
		require.NoError(t, g.Lease(Limits{Weight: 7}, time.Second))
		require.False(t, g.Holds(l))
		require.False(t, g.Holds(Limits{Weight: 7}))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.True(t, g.Holds(l))
		kernel.refuseWith(errors.New("no"))
		require.Error(t, g.Set(Limits{}))
		require.False(t, g.Holds(l), "a failed change may have changed some")
	})
}

// Renew requires a lease and does not call the kernel.
func TestRenewedLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kernel := fakeGroup()
		require.NoError(t, g.Set(Limits{}))
		require.False(t, g.Renew(time.Hour))
		require.NoError(t, g.Lease(Limits{Weight: 20, Memory: MinMemory}, time.Second))
		require.EqualValues(t, MinMemory, g.Memory())
		kernel.refuseWith(syscall.EIO)
		require.True(t, g.Renew(3*time.Second))
		kernel.refuseWith(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 20, held(t, g).Weight)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, Limits{Weight: DefaultWeight}, held(t, g))
		require.Zero(t, g.Memory())
		require.False(t, g.Renew(time.Hour), "the lease is over")
	})
}

// When a lease ends, the previous CPU limits apply immediately. The previous memory limit applies
// when the processes use less memory.
func TestALeaseEndsWhenMemoryIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kernel := fakeGroup()
		require.NoError(t, g.Set(Limits{Weight: 100, Memory: 2 * MinMemory}))
		require.NoError(t, g.Lease(Limits{Weight: 20, Memory: 4 * MinMemory}, time.Second))
		kernel.use(3 * MinMemory)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.Equal(t, Limits{Weight: 100, Memory: 4 * MinMemory}, held(t, g))
		kernel.use(MinMemory)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, Limits{Weight: 100, Memory: 2 * MinMemory}, held(t, g))

		require.NoError(t, g.Lease(Limits{Weight: 20, Memory: 4 * MinMemory}, time.Second))
		kernel.use(3 * MinMemory)
		time.Sleep(5 * time.Second)
		require.NoError(t, g.Delete(context.Background()))
		kernel.use(0)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 4*MinMemory, held(t, g).Memory, "a removed group is not restored")
	})
}

// If the kernel rejects the limits of a lease, the previous lease continues.
func TestRefusedLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kernel := fakeGroup()
		require.NoError(t, g.Set(Limits{Weight: 100}))
		require.NoError(t, g.Lease(Limits{Weight: 20}, time.Second))
		kernel.refuseWith(syscall.EBUSY)
		err := g.Lease(Limits{Weight: 20, Memory: MinMemory}, time.Hour)
		require.True(t, failure.Is(err, failure.Limit), err)
		require.ErrorContains(t, err, "the kernel cannot free enough")
		kernel.refuseWith(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 100, held(t, g).Weight)
	})
}

func TestDeleteKillsUntilNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kernel := fakeGroup()
		kernel.left = 5
		require.NoError(t, g.Delete(context.Background()))
		require.Zero(t, kernel.left)

		kernel.left = 1_000_000
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		require.ErrorContains(t, g.Delete(ctx), "contains running processes")
	})
}

func TestErrorsOfAGroupThatIsGone(t *testing.T) {
	g, kernel := fakeGroup()
	kernel.refuseWith(fs.ErrNotExist)
	err := g.Set(Limits{})
	require.True(t, failure.Is(err, failure.NotFound), err)
	require.ErrorContains(t, err, "another process has removed it")
}
