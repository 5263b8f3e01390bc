package cgroup

import "syscall"

// Sweep removes the Trees that are named cfg.Name and have dead owners, as Open does, without
// creating a Tree. It then removes the default parent if that is empty. Sweep does nothing if no
// control groups are mounted.
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

// removeDefaultParent removes parent if it is the default parent of all Trees and is empty. Any
// other parent is left to its administrator.
func removeDefaultParent(h hierarchy, parent string) {
	if parent != DefaultParent {
		return
	}
	for _, dir := range h.folders(parent) {
		_ = syscall.Rmdir(dir) // fails if the parent contains other trees
	}
}
