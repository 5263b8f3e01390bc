package cgroup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Tree contains the groups of one owner. It is safe for concurrent use.
type Tree struct {
	h      hierarchy
	parent string
	path   string
	log    *slog.Logger
	lock   *os.File

	processes int64 // limit of each group; 0 = none

	mu     sync.Mutex
	groups map[*Group]bool
	closed bool
}

// sweepTime is the maximum time to remove the groups of one dead owner.
const sweepTime = 5 * time.Second

// Open removes the trees that are named cfg.Name and have dead owners, and creates an empty tree.
// It returns an error of kind Permission if this process lacks privileges, and of kind NotFound if
// no control groups are mounted.
func Open(cfg Config) (*Tree, error) {
	if err := cfg.fill(); err != nil {
		return nil, err
	}
	h, err := detect(cfg.Mount, cfg.Log)
	if err != nil {
		return nil, err
	}
	return open(cfg, h)
}

func open(cfg Config, h hierarchy) (*Tree, error) {
	if err := h.prepare(cfg.Parent); err != nil {
		return nil, refused(cfg.Parent, cfg.Parent, err)
	}
	sweep(h, cfg)
	for n := 0; ; n++ {
		path := fmt.Sprintf("%s/%s-%d", cfg.Parent, cfg.Name, os.Getpid())
		if n > 0 {
			path += fmt.Sprintf("-%d", n)
		}
		err := h.prepare(path)
		var lock *os.File
		if err == nil {
			lock, err = lockGroup(h.dir(path))
		}
		switch {
		case err == nil:
			owned.Store(h.dir(path), true)
			return &Tree{h: h, parent: cfg.Parent, path: path, log: cfg.Log, lock: lock, processes: cfg.Processes,
				groups: map[*Group]bool{}}, nil
		case n == maxTries || !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.ENOENT):
			return nil, refused(cfg.Parent, path, err)
		}
		forsake(h, path)
	}
}

// owned holds the folders of this process's Trees.
var owned sync.Map

// forsake removes the remains of a tree that another process swept while this process was creating
// it. These are the parts that were created after the sweep. It leaves this process's own Trees
// alone.
func forsake(h hierarchy, path string) {
	if _, ours := owned.Load(h.dir(path)); ours {
		return
	}
	for _, dir := range h.folders(path) {
		_ = syscall.Rmdir(dir)
	}
}

// maxTries is the largest number that Open appends to a name. Open tries the next number if the
// name belongs to another Tree of this process, or if a sweep removes the new group.
const maxTries = 1000

// refused adds a kind and a remedy to err, the reason why the group at path could not be created.
// parent is the group that an administrator can hand over to this user.
func refused(parent, path string, err error) error {
	kind := failure.KindOf(err)
	if errors.Is(err, syscall.EROFS) {
		kind = failure.Permission
	}
	return failure.New(kind, "create control group", path, err).
		Fix("run as root, or ask an administrator to make this user the owner of " + parent +
			"; in a container, set cap_add: SYS_ADMIN")
}

// lockGroup locks a group until this process closes the returned file or exits. It does not wait
// for another process's lock, but returns an error.
func lockGroup(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Stat(dir) // a sweep may have removed it in the meantime
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the trees that are named cfg.Name and have dead owners, and no other groups.
func sweep(h hierarchy, cfg Config) {
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(cfg.Name) + `-\d+(-\d+)?$`)
	for _, name := range children(h, cfg.Parent) {
		if !ours.MatchString(name) {
			continue
		}
		path := cfg.Parent + "/" + name
		lock, err := lockGroup(h.dir(path))
		if err != nil && !errors.Is(err, syscall.ENOENT) {
			continue // the owner is alive, or this process lacks permission
		}
		ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
		n, err := clear(ctx, h, path, cfg.Log)
		cancel()
		if lock != nil {
			lock.Close()
		}
		if err != nil {
			cfg.Log.Warn("cannot remove the control groups of a dead process", "path", path, "err", err)
			continue
		}
		cfg.Log.Info("removed the control groups of a dead process", "path", path, "groups", n)
	}
}

// children lists the names of the groups directly below a group, including those that exist in only
// one hierarchy.
func children(h hierarchy, path string) []string {
	var names []string
	for _, dir := range h.folders(path) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// clear kills all processes at and below a path and removes all groups there. It returns the number
// of groups that it removed below the path.
func clear(ctx context.Context, h hierarchy, path string, log *slog.Logger) (int, error) {
	n := 0
	t := &Tree{h: h, log: log}
	for _, name := range children(h, path) {
		below, err := clear(ctx, h, path+"/"+name, log)
		if err != nil {
			return n, err
		}
		n += below + 1
	}
	return n, (&Group{tree: t, path: path, control: h.open(path)}).Delete(ctx)
}

// Mode returns the version of the kernel's interface: "version 1", "version 2", "version 2 without
// limits", or "versions 1 and 2".
func (t *Tree) Mode() string { return t.h.mode() }

// LimitsProcesses reports whether the kernel enforces Config.Processes.
func (t *Tree) LimitsProcesses() bool { return t.h.limitsProcesses() }

// Path returns the path of the tree in the hierarchy.
func (t *Tree) Path() string { return t.path }

// Group creates a group without processes. The name must consist of letters, digits, and "-", and
// must be unique in the tree.
func (t *Tree) Group(name string, l Limits) (*Group, error) {
	l, err := l.check()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	path := t.path + "/" + name
	if t.closed {
		return nil, failure.New(failure.Killed, "create control group", path, errors.New("shutting down"))
	}
	if err := t.relock(); err != nil {
		return nil, refused(t.parent, t.path, err)
	}
	c, err := t.h.create(path, l)
	if err != nil {
		return nil, refused(t.parent, path, err)
	}
	if t.processes > 0 {
		if err := c.limitProcesses(t.processes); err != nil {
			_ = c.remove()
			return nil, refused(t.parent, path, err)
		}
	}
	g := &Group{tree: t, path: path, control: c, base: l, now: &l}
	t.groups[g] = true
	return g, nil
}

// relock creates and locks the tree again if another process removed it while it was empty.
// Otherwise a new group would have no owner, and the next Open would remove it and kill its
// processes. The caller must hold mu.
func (t *Tree) relock() error {
	dir := t.h.dir(t.path)
	there, err := os.Stat(dir)
	if err == nil {
		if ours, err := t.lock.Stat(); err == nil && os.SameFile(ours, there) {
			return nil
		}
	}
	if err := t.h.prepare(t.path); err != nil {
		return err
	}
	lock, err := lockGroup(dir)
	if err != nil {
		return err
	}
	t.lock.Close()
	t.lock = lock
	t.log.Warn("another process removed this process's control group; it was created again", "path", t.path)
	return nil
}

func (t *Tree) forget(g *Group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.groups, g)
}

// Close kills all processes in the tree, removes the tree, and removes the default parent if that
// is then empty.
func (t *Tree) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	groups := make([]*Group, 0, len(t.groups))
	for g := range t.groups {
		groups = append(groups, g)
	}
	t.mu.Unlock()
	var all []error
	for _, g := range groups {
		all = append(all, g.Delete(ctx))
	}
	if _, err := clear(ctx, t.h, t.path, t.log); err != nil {
		all = append(all, err)
	}
	t.lock.Close()
	owned.Delete(t.h.dir(t.path))
	removeDefaultParent(t.h, t.parent)
	return errors.Join(all...)
}
