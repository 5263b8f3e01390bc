package cgroup

import "syscall"

// Sweep removes the Trees named cfg.Name whose owners are dead, as Open does, for somebody who wants no Tree himself. Where there are
// no control groups there is nothing to do.
func Sweep(cfg Config) {
	if cfg.fill() != nil {
		return
	}
	h, err := detect(cfg.Mount, cfg.Log)
	if err != nil {
		return
	}
	sweep(h, cfg)
	removeDefaultParent(h, cfg.Parent)
}

// removeDefaultParent removes the group of all Trees if it is empty. Another one than the default is its administrator's.
func removeDefaultParent(h hierarchy, parent string) {
	if parent != DefaultParent {
		return
	}
	for _, dir := range h.folders(parent) {
		_ = syscall.Rmdir(dir) // with other trees in it the kernel refuses
	}
}
