package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Group holds the processes that were put into it and all that these start. Its methods may be called concurrently.
type Group struct {
	tree    *Tree
	path    string
	control control

	mu      sync.Mutex
	base    Limits      // that hold when no lease does
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
	g.endLease()
	if g.deleted {
		return nil
	}
	n := g.leases
	g.lapse = time.AfterFunc(d, func() { g.lapsed(n, false) })
	return nil
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
	_ = g.control.set(now) // it is tried again
}

// endLease is called with mu held.
func (g *Group) endLease() {
	g.leases++
	if g.lapse != nil {
		g.lapse.Stop()
		g.lapse = nil
	}
}

// apply is called with mu held.
func (g *Group) apply(l Limits) error {
	if l.Memory > 0 {
		u, err := g.control.usage()
		if err != nil {
			return g.explain("limit control group", err)
		}
		if u.Memory > l.Memory {
			return g.below(l, u)
		}
	}
	err := g.control.set(l)
	if errors.Is(err, syscall.EBUSY) { // it grew meanwhile
		u, _ := g.control.usage()
		return g.below(l, u)
	}
	return g.explain("limit control group", err)
}

func (g *Group) below(l Limits, u Usage) error {
	return failure.New(failure.Limit, "limit control group", g.path, fmt.Errorf("%d bytes are in use, more than the %d that would be allowed", u.Memory, l.Memory)).
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
		select {
		case <-ctx.Done():
			return g.explain("remove control group", err)
		case <-time.After(deletePause):
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
