package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// Group contains the processes that Add moved to it and the descendants that they have created
// since. It is safe for concurrent use.
type Group struct {
	tree    *Tree
	path    string
	control control

	mu      sync.Mutex
	base    Limits      // limits without a lease
	now     *Limits     // limits that were set last; nil = unknown
	lapse   *time.Timer // timer of the lease, or of the next attempt to restore the limits; nil = neither
	leases  int         // incremented by endLease; a timer with an older number does nothing
	deleted bool
}

// Path returns the group's path in the hierarchy, as in /proc/PID/cgroup.
func (g *Group) Path() string { return g.path }

// Add moves a process with all its threads to the group. Existing children of the process do not
// move.
func (g *Group) Add(pid int) error {
	return g.explain("put into control group", g.control.join(pid))
}

// Set changes the limits and ends the current lease, if any. It rejects a memory limit below the
// memory in use, because the kernel would kill a process. In that case the error is of kind Limit,
// and the limits do not change.
func (g *Group) Set(l Limits) error {
	l, err := l.check()
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.apply(l); err != nil {
		return err
	}
	g.endLease()
	g.base = l
	return nil
}

// Holds reports whether Set(l) was the last successful change of the limits. It does not call the
// kernel, where other processes can change the limits.
func (g *Group) Holds(l Limits) bool {
	l, err := l.check()
	g.mu.Lock()
	defer g.mu.Unlock()
	return err == nil && g.lapse == nil && g.now != nil && *g.now == l && g.base == l
}

// Lease changes the limits for the duration d. When d has passed without another call to Lease,
// Renew, or Set, the limits of the last Set, or those at the group's creation, apply again. Leased
// limits therefore do not outlive a caller that can no longer renew them. If more memory is in use
// than the earlier memory limit allows, that limit applies as soon as usage permits. Lease returns
// the same errors as Set.
func (g *Group) Lease(l Limits, d time.Duration) error {
	l, err := l.check()
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.apply(l); err != nil {
		return err
	}
	g.startLease(d)
	return nil
}

// Renew makes the current lease end d from now. It reports whether the group has a lease. It does
// not call the kernel, so limits that other processes have changed stay in effect.
func (g *Group) Renew(d time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lapse == nil {
		return false
	}
	g.startLease(d)
	return true
}

// Memory returns the memory limit that was set last, in bytes; 0 means no limit or unknown.
func (g *Group) Memory() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == nil {
		return 0
	}
	return g.now.Memory
}

// startLease replaces the current lease, if any, with one of duration d. After Delete, it does
// nothing. The caller must hold mu.
func (g *Group) startLease(d time.Duration) {
	g.endLease()
	if g.deleted {
		return
	}
	n := g.leases
	g.lapse = time.AfterFunc(d, func() { g.lapsed(n, false) })
}

// lapseAgain is the interval between attempts to restore a memory limit while the processes use
// more memory than it allows.
const lapseAgain = time.Second

func (g *Group) lapsed(lease int, again bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leases != lease {
		return // the lease has been renewed or has ended
	}
	g.lapse = nil
	err := g.apply(g.base)
	if err == nil {
		g.tree.log.Info("the limits were not renewed; the previous limits apply", "group", g.path, "limits", g.base)
		return
	}
	if !again {
		g.tree.log.Warn("cannot restore the limits after the end of a lease", "group", g.path, "err", err)
	}
	if failure.Is(err, failure.Limit) {
		g.restoreCPU()
		g.lapse = time.AfterFunc(lapseAgain, func() { g.lapsed(lease, true) })
	}
}

// restoreCPU restores the limits that do not depend on the memory in use. The caller must hold mu.
func (g *Group) restoreCPU() {
	now, err := g.control.limits()
	if err != nil {
		return
	}
	now.Weight, now.Quota = g.base.Weight, g.base.Quota
	g.now = nil
	_ = g.control.set(now, nil) // lapsed tries again
}

// endLease ends the current lease, if any. The caller must hold mu.
func (g *Group) endLease() {
	g.leases++
	if g.lapse != nil {
		g.lapse.Stop()
		g.lapse = nil
	}
}

// apply sets limits in the kernel. It writes the limits that differ from those set last. If none
// differs, it writes all of them, because another process may have changed them in the kernel. Like
// Set, it rejects a memory limit below the memory in use. The caller must hold mu.
func (g *Group) apply(l Limits) error {
	before := g.now
	if before != nil && *before == l {
		before = nil
	}
	if l.Memory > 0 && (before == nil || before.Memory == 0 || l.Memory < before.Memory) {
		used, err := g.control.memory()
		if err != nil {
			return g.explain("limit control group", err)
		}
		if used > l.Memory {
			return g.below(fmt.Errorf("%d bytes are in use, more than the new limit of %d", used, l.Memory))
		}
	}
	err := g.control.set(l, before)
	if err == nil {
		g.now = &l
		return nil
	}
	g.now = nil
	// The memory in use has grown since the check, or includes kernel memory, such as pipes, that
	// the check does not count.
	if errors.Is(err, syscall.EBUSY) {
		return g.below(fmt.Errorf("the kernel cannot free enough memory for the new limit of %d bytes", l.Memory))
	}
	return g.explain("limit control group", err)
}

func (g *Group) below(why error) error {
	return failure.New(failure.Limit, "limit control group", g.path, why).
		Fix("the limits have not changed; allow more memory, or wait until less is in use")
}

// Limits returns the limits that the kernel enforces. For a resource that the kernel does not
// control, the limits are 0, but Weight is 100.
func (g *Group) Limits() (Limits, error) {
	l, err := g.control.limits()
	return l, g.explain("read limits of control group", err)
}

// Usage returns the group's resource usage.
func (g *Group) Usage() (Usage, error) {
	u, err := g.control.usage()
	return u, g.explain("read usage of control group", err)
}

// OOMKills returns Usage.OOMKills. It costs a sixth of the system calls of Usage.
func (g *Group) OOMKills() (int64, error) {
	n, err := g.control.kills()
	return n, g.explain("read usage of control group", err)
}

// Processes lists the processes in the group.
func (g *Group) Processes() ([]int, error) {
	pids, err := g.control.processes()
	return pids, g.explain("list processes of control group", err)
}

// Kill sends SIGKILL to every process in the group. It returns nil if the group is missing.
func (g *Group) Kill() error {
	err := g.control.kill()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return g.explain("kill processes of control group", err)
}

// deletePause is the pause between Delete's attempts.
const deletePause = 5 * time.Millisecond

// Delete kills all processes in the group and removes the group. It retries until ctx is done.
func (g *Group) Delete(ctx context.Context) error {
	g.mu.Lock()
	g.deleted = true
	g.endLease()
	g.mu.Unlock()
	for {
		err := g.control.remove()
		if err == nil {
			g.tree.forget(g)
			return nil
		}
		if kill := g.control.kill(); kill != nil && !errors.Is(kill, fs.ErrNotExist) {
			err = kill
		}
		if lifecycle.Sleep(ctx, deletePause) != nil {
			return g.explain("remove control group", err)
		}
	}
}

// explain adds a kind to an error from the kernel and, if the kind is NotFound, a remedy.
func (g *Group) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	e := failure.New(failure.KindOf(err), op, g.path, err)
	if e.Kind == failure.NotFound {
		e.Fix("another process has removed it, so its limits no longer apply")
	}
	return e
}
