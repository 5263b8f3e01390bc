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

// Tree is the groups of one owner. Its methods may be called concurrently.
type Tree struct {
	h      hierarchy
	parent string
	path   string
	log    *slog.Logger
	lock   *os.File

	mu     sync.Mutex
	groups map[*Group]bool
	closed bool
}

// sweepTime bounds how long the groups of one owner that died are cleared.
const sweepTime = 5 * time.Second

// Open removes what owners that died have left behind and makes an empty tree. Without the right to do so, or without control
// groups, the error is of kind Permission or NotFound.
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
		return nil, refused(cfg.Parent, err)
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
			return &Tree{h: h, parent: cfg.Parent, path: path, log: cfg.Log, lock: lock, groups: map[*Group]bool{}}, nil
		case n == maxTries || !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.ENOENT):
			return nil, refused(path, err)
		}
		forsake(h, path)
	}
}

// owned are the folders of this process's Trees.
var owned sync.Map

// forsake removes what is left of a tree that was swept away while it was made: parts that were made later than the sweep came by.
func forsake(h hierarchy, path string) {
	if _, ours := owned.Load(h.dir(path)); ours {
		return
	}
	for _, dir := range h.folders(path) {
		_ = syscall.Rmdir(dir)
	}
}

// maxTries is how many names are tried: another Tree of this process may have the first, and somebody who sweeps may take for
// left behind what was just made.
const maxTries = 1000

func refused(path string, err error) error {
	kind := failure.KindOf(err)
	if errors.Is(err, syscall.EROFS) {
		kind = failure.Permission
	}
	return failure.New(kind, "make control group", path, err).
		Fix("run as root or let an administrator hand over " + path + "; in a container give it cap_add: SYS_ADMIN")
}

// lockGroup takes a group for this process as long as it lives.
func lockGroup(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Stat(dir) // it may have been removed between the two
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the trees of this name whose owners are dead. Whatever else lies beside them is not touched.
func sweep(h hierarchy, cfg Config) {
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(cfg.Name) + `-\d+(-\d+)?$`)
	for _, name := range children(h, cfg.Parent) {
		if !ours.MatchString(name) {
			continue
		}
		path := cfg.Parent + "/" + name
		lock, err := lockGroup(h.dir(path))
		if err != nil && !errors.Is(err, syscall.ENOENT) {
			continue // its owner lives, or it is not ours to remove
		}
		ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
		n, err := clear(ctx, h, path, cfg.Log)
		cancel()
		if lock != nil {
			lock.Close()
		}
		if err != nil {
			cfg.Log.Warn("control groups of a process that died cannot be removed", "path", path, "err", err)
			continue
		}
		cfg.Log.Info("control groups of a process that died were removed", "path", path, "groups", n)
	}
}

// children lists the groups directly below one, by their last name, also those that are left in one hierarchy only.
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

// clear kills and removes everything below a path, and the path itself. It gives the number of groups below.
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

// Mode says how the kernel shows its control groups: "version 1", "version 2" or "versions 1 and 2".
func (t *Tree) Mode() string { return t.h.mode() }

// Path gives the name of the tree in the hierarchy.
func (t *Tree) Path() string { return t.path }

// Group makes a group without processes. The name consists of letters, digits and "-", and nobody uses it now.
func (t *Tree) Group(name string, l Limits) (*Group, error) {
	l, err := l.check()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	path := t.path + "/" + name
	if t.closed {
		return nil, failure.New(failure.Killed, "make control group", path, errors.New("shutting down"))
	}
	if err := t.relock(); err != nil {
		return nil, refused(t.path, err)
	}
	c, err := t.h.create(path, l)
	if err != nil {
		return nil, refused(path, err)
	}
	g := &Group{tree: t, path: path, control: c, base: l, now: &l}
	t.groups[g] = true
	return g, nil
}

// relock makes the tree anew if somebody has removed it while it was empty: a group in it would be one that nobody owns, which whoever
// opens a Tree next removes with all processes. It is called with mu held.
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
	t.log.Warn("somebody removed the control group of this process; it was made again", "path", t.path)
	return nil
}

func (t *Tree) forget(g *Group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.groups, g)
}

// Close kills what is left in the tree and removes it.
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
