package cgroup

import (
	"syscall"

	"github.com/howdah/howdah/job/failure"
)

// Below returns the Config.Parent group and the groups directly below it, sorted by name. These
// include groups that other processes created. The caller does not own the groups, but may read
// each one's usage and limit each one as a whole. If no group is below the parent, Below returns an
// error of kind NotFound.
func Below(cfg Config) (parent *Group, below []*Group, err error) {
	if err := cfg.fill(); err != nil {
		return nil, nil, err
	}
	h, err := detect(cfg.Mount, cfg.Log)
	if err != nil {
		return nil, nil, err
	}
	t := &Tree{h: h, parent: cfg.Parent, path: cfg.Parent, log: cfg.Log}
	group := func(path string) *Group { return &Group{tree: t, path: path, control: h.open(path)} }
	for _, name := range children(h, cfg.Parent) {
		below = append(below, group(cfg.Parent+"/"+name))
	}
	if below == nil {
		return nil, nil, failure.New(failure.NotFound, "list control groups below", cfg.Parent, nil)
	}
	return group(cfg.Parent), below, nil
}

// RemoveParent removes the Config.Parent group. Tree.Close does so only for the default parent.
// RemoveParent returns nil if the group is missing, and an error if the group contains processes or
// other groups.
func RemoveParent(cfg Config) error {
	if err := cfg.fill(); err != nil {
		return err
	}
	h, err := detect(cfg.Mount, cfg.Log)
	if err != nil {
		return err
	}
	for _, dir := range h.folders(cfg.Parent) {
		if err := syscall.Rmdir(dir); err != nil && err != syscall.ENOENT {
			return failure.New(failure.KindOf(err), "remove control group", dir, err)
		}
	}
	return nil
}
