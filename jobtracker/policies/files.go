package policies

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Intervals for watching the files of scheduling policies, as in Hadoop's fair scheduler. The
// keeper does not read files that have just changed, because they may be partially written.
const (
	lookEvery    = 10 * time.Second
	settledAfter = 5 * time.Second
)

// stamp identifies a version of a file. The zero stamp means a missing file.
type stamp struct {
	path string
	size int64
	time time.Time
}

// stamps returns the stamps of the files of the named policy. The stamp of a missing file is zero.
func (k *Keeper) stamps(name string, c *conf.Config) []stamp {
	e, err := k.Catalog.Find(name)
	if err != nil {
		return nil
	}
	list := make([]stamp, len(e.Files))
	for i, key := range e.Files {
		path, _ := catalog.FilePath(c, key)
		if info, err := os.Stat(path); err == nil {
			list[i] = stamp{path, info.Size(), info.ModTime()}
		}
	}
	return list
}

// saw records the stamps of the files as of the latest read.
func (k *Keeper) saw(list []stamp) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = list
}

// news reports whether the files have changed since the latest read.
func (k *Keeper) news(list []stamp) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !slices.Equal(list, k.seen)
}

// Watch replaces the policy when its files change, until ctx ends. If a file is invalid or does not
// fit the cluster, Watch logs this once and keeps the current policy.
func (k *Keeper) Watch(ctx context.Context) error {
	ticker := time.NewTicker(k.LookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			k.LookAtFiles(ctx)
			k.LookAtFit(ctx)
		}
	}
}

// LookAtFiles checks the files once and replaces the policy if they have changed and then settled.
// It ignores policies that read their files only on -refreshQueues.
func (k *Keeper) LookAtFiles(ctx context.Context) {
	k.changing.Lock()
	defer k.changing.Unlock()
	last := k.lastFiles
	k.lastFiles = nil
	now := k.Present()
	e, err := k.Catalog.Find(now.Name)
	if err != nil || e.OnRefresh || len(e.Files) == 0 {
		return
	}
	list := k.stamps(now.Name, now.conf)
	k.lastFiles = list
	if !k.news(list) || !k.settled(list, last) {
		return
	}
	k.saw(list)
	if err := k.reread(ctx, now); err != nil && ctx.Err() == nil {
		k.Log.Error("cannot use the scheduler's files; keeping the active policy", "scheduler", now.Name, "error", err)
		k.trouble(err)
	}
}

// settled reports whether the files have stopped changing. They must be unchanged since the
// previous check, or all modification times must be old enough. The first condition works even if a
// different clock sets the times.
func (k *Keeper) settled(list, last []stamp) bool {
	if slices.Equal(list, last) {
		return true
	}
	for _, s := range list {
		// A file can be missing because an editor is replacing it.
		if s == (stamp{}) || time.Since(s.time) < k.SettledAfter {
			return false
		}
	}
	return true
}

func (k *Keeper) reread(ctx context.Context, now *Choice) error {
	x, err := k.make(now.Name, now.conf, nil, k.machine.Slots(ctx))
	if err != nil {
		return err
	}
	if x.set, x.other = now.set, now.other; sameFiles(x.Files, now.Files) {
		k.trouble(nil)
		return nil
	}
	return k.place(ctx, x, "its files changed")
}
