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

// Group holds the processes that were put into it and all that these start. Its methods may be called concurrently.
type Group struct {
	tree    *Tree
	path    string
	control control

	mu      sync.Mutex
	base    Limits      // that hold when no lease does
	now     *Limits     // that were set last; nil = nobody knows
	lapse   *time.Timer // of the lease, nil = none
	leases  int         // that there have been; the timer of an older one may have fired when it is stopped
	deleted bool
}

// Path gives the group's name in the hierarchy, as /proc/PID/cgroup shows it.
func (g *Group) Path() string { return g.path }

// Add puts a process into the group, with its threads. What it started before stays where it is.
func (g *Group) Add(pid int) error {
	return g.explain("put into control group", g.control.join(pid))
}

// Set changes the limits and ends a lease. A limit of memory below what is in use is refused, because the kernel would end a
// process: the error is of kind Limit, and the limits stay.
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

// Lease changes the limits for some time. Unless there is another lease before that is over, those of Set hold again then: nobody
// suffers for good from limits that their author cannot take back any more. Errors are those of Set.
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

// Renew makes a lease last so long from now on; false = there is none. It asks nothing of the kernel: limits that somebody else has
// changed stay as they are.
func (g *Group) Renew(d time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lapse == nil {
		return false
	}
	g.startLease(d)
	return true
}

// Memory gives the bytes of memory that were allowed last, 0 = no limit.
func (g *Group) Memory() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == nil {
		return 0
	}
	return g.now.Memory
}

// startLease is called with mu held.
func (g *Group) startLease(d time.Duration) {
	g.endLease()
	if g.deleted {
		return
	}
	n := g.leases
	g.lapse = time.AfterFunc(d, func() { g.lapsed(n, false) })
}

// lapseAgain is how long processes that use more memory than before the lease are given to use less.
const lapseAgain = time.Second

func (g *Group) lapsed(lease int, again bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leases != lease {
		return // renewed or ended meanwhile
	}
	g.lapse = nil
	err := g.apply(g.base)
	if err == nil {
		g.tree.log.Info("limits were not renewed; the former ones hold", "group", g.path, "limits", g.base)
		return
	}
	if !again {
		g.tree.log.Warn("limits whose lease is over cannot be taken back", "group", g.path, "err", err)
	}
	if failure.Is(err, failure.Limit) {
		g.restoreCPU()
		g.lapse = time.AfterFunc(lapseAgain, func() { g.lapsed(lease, true) })
	}
}

// restoreCPU takes back what memory in use does not hinder. It is called with mu held.
func (g *Group) restoreCPU() {
	now, err := g.control.limits()
	if err != nil {
		return
	}
	now.Weight, now.Quota = g.base.Weight, g.base.Quota
	g.now = nil
	_ = g.control.set(now, nil) // it is tried again
}

// endLease is called with mu held.
func (g *Group) endLease() {
	g.leases++
	if g.lapse != nil {
		g.lapse.Stop()
		g.lapse = nil
	}
}

// apply is called with mu held. Limits that are set again are written again as a whole: somebody else may have changed them.
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
			return g.below(fmt.Errorf("%d bytes are in use, more than the %d that would be allowed", used, l.Memory))
		}
	}
	err := g.control.set(l, before)
	if err == nil {
		g.now = &l
		return nil
	}
	g.now = nil
	if errors.Is(err, syscall.EBUSY) { // it grew meanwhile, or holds what Usage does not count: memory of the kernel itself, as of pipes
		return g.below(fmt.Errorf("the kernel cannot free enough to keep to the %d bytes that would be allowed", l.Memory))
	}
	return g.explain("limit control group", err)
}

func (g *Group) below(why error) error {
	return failure.New(failure.Limit, "limit control group", g.path, why).
		Fix("the former limits hold; allow more, or wait until less is in use")
}

// Limits asks the kernel which limits hold. What it does not control is 0, and Weight 100.
func (g *Group) Limits() (Limits, error) {
	l, err := g.control.limits()
	return l, g.explain("read limits of control group", err)
}

// Usage asks the kernel what was used so far.
func (g *Group) Usage() (Usage, error) {
	u, err := g.control.usage()
	return u, g.explain("read usage of control group", err)
}

// Processes lists the processes in the group.
func (g *Group) Processes() ([]int, error) {
	pids, err := g.control.processes()
	return pids, g.explain("list processes of control group", err)
}

// Kill sends SIGKILL to every process in the group. A group that is gone is no error.
func (g *Group) Kill() error {
	err := g.control.kill()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return g.explain("kill processes of control group", err)
}

// deletePause is how long processes that were killed are given to end before they are counted again.
const deletePause = 5 * time.Millisecond

// Delete kills what is left in the group and removes it. It tries until ctx ends.
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

// explain gives the kernel's refusals a name.
func (g *Group) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	e := failure.New(failure.KindOf(err), op, g.path, err)
	if e.Kind == failure.NotFound {
		e.Fix("somebody else has removed it: its limits hold no longer")
	}
	return e
}
