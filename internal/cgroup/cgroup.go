// Package cgroup runs processes in control groups of the Linux kernel. It limits their CPU time,
// memory, and number, reports their usage, and kills all of them. It supports version 1 of the
// kernel's interface, version 2, and both mounted together. In the last case it sets limits through
// version 1 and uses version 2 only to kill the processes.
//
// A Tree belongs to one process, which holds a lock on the Tree until it closes the Tree or exits.
// Open removes the Trees that dead processes opened with the same Config.Name. The groups are:
//
//	/howdah                  the parent of all Trees on the machine or in the container
//	/howdah/NAME-PID         a Tree
//	/howdah/NAME-PID/child-7 a Group
package cgroup

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Limits are the limits for all processes of a group together. The zero value sets no limits.
type Limits struct {
	// Weight is the relative share of CPU time when groups compete, from 1 to 10000; 0 means 100.
	Weight int64
	// Quota is the maximum CPU time in thousandths of one CPU, from 10 to 1000000; 0 means no
	// limit.
	Quota int64
	// Memory is the number of bytes above which the kernel kills a process of the group (with
	// version 2, all of them). It is rounded down to whole pages. It is at least MinMemory; 0 means
	// no limit. Cached file pages also count, but the kernel evicts them first.
	Memory int64
	// SoftMemory is the number of bytes above which the kernel reclaims pages from this group first
	// when memory is short. With version 2, the kernel slows the group down instead. Rounding,
	// minimum, and 0 are as for Memory.
	SoftMemory int64
}

// The default, ranges, and rounding of the fields of Limits.
const (
	DefaultWeight = 100
	MaxWeight     = 10_000
	MinQuota      = 10
	MaxQuota      = 1_000_000
	MinMemory     = 4 << 20
	pageSize      = 4096
	maxMemory     = 1 << 60
)

// check returns an error if a limit is out of range. Otherwise it returns the limits with the
// default weight filled in and with memory rounded down to whole pages, as the kernel does.
func (l Limits) check() (Limits, error) {
	refuse := func(what string, n, lo, hi int64) (Limits, error) {
		return l, failure.New(failure.Config, "limit control group:", what,
			fmt.Errorf("got %d, want %d to %d", n, lo, hi))
	}
	l.Weight = cmp.Or(l.Weight, DefaultWeight)
	switch {
	case l.Weight < 1 || l.Weight > MaxWeight:
		return refuse("weight", l.Weight, 1, MaxWeight)
	case l.Quota != 0 && (l.Quota < MinQuota || l.Quota > MaxQuota):
		return refuse("quota", l.Quota, MinQuota, MaxQuota)
	case l.Memory != 0 && (l.Memory < MinMemory || l.Memory > maxMemory):
		return refuse("memory", l.Memory, MinMemory, maxMemory)
	case l.SoftMemory != 0 && (l.SoftMemory < MinMemory || l.SoftMemory > maxMemory):
		return refuse("soft memory", l.SoftMemory, MinMemory, maxMemory)
	}
	l.Memory -= l.Memory % pageSize
	l.SoftMemory -= l.SoftMemory % pageSize
	return l, nil
}

// Usage is the resource usage of a group. Memory is the current usage. The other fields cover the
// time since the group's creation and include processes that have ended.
type Usage struct {
	CPU       time.Duration
	Throttled time.Duration // time spent waiting because of Limits.Quota, summed over CPUs
	Memory    int64         // bytes in use, without pages that the kernel can reread from a file
	Peak      int64         // maximum number of bytes in use, with cached file pages; 0 = unknown
	OOMKills  int64         // number of processes that the kernel killed because of Limits.Memory
}

// Config configures a Tree.
type Config struct {
	Mount  string // mount point of control groups; "" = /sys/fs/cgroup
	Parent string // absolute path of the parent group of all Trees; "" = /howdah
	Name   string // name of the owner, in letters and digits; Open adds the process ID
	// Processes is the maximum number of processes and threads in each Group; 0 = no limit. It has
	// no effect if the kernel does not control this number; see Tree.LimitsProcesses.
	Processes int64
	Log       *slog.Logger // nil = slog.Default()
}

// The default values of Config.
const (
	DefaultMount  = "/sys/fs/cgroup"
	DefaultParent = "/howdah"
)

// IsGroup reports whether a path is the absolute path of a group below the root of the hierarchy.
// The group need not exist. A path with the element ".." is not one, because it could lead outside
// the hierarchy.
func IsGroup(path string) bool {
	return strings.HasPrefix(path, "/") && strings.Trim(path, "/.") != "" && !strings.Contains(path+"/", "/../")
}

func (c *Config) fill() error {
	c.Mount = cmp.Or(c.Mount, DefaultMount)
	c.Parent = cmp.Or(c.Parent, DefaultParent)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if !IsGroup(c.Parent) {
		return failure.New(failure.Config, "open control groups", c.Parent, fmt.Errorf("it is not the absolute path "+
			"of a group")).
			Fix("use a path such as " + DefaultParent)
	}
	return nil
}
