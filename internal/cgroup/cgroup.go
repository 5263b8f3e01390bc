// Package cgroup puts processes into control groups of the Linux kernel: it limits their CPU time and memory, tells what they
// used, and finds them all when they have to go. It works with version 1 of the kernel's interface, with version 2, and with
// both beside each other, where limits go through version 1 and version 2 only holds the processes together.
//
// A Tree belongs to one process, which holds a lock on it. What a process that died has left behind is found by that and
// removed by whoever opens a Tree next:
//
//	/howdah                  one for the machine, or for the container
//	/howdah/NAME-PID         a Tree
//	/howdah/NAME-PID/child-7 a Group
package cgroup

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Limits bound what the processes of a group may use together. The zero value bounds nothing. What is set is what is read back:
// the units were chosen so that both versions of the kernel's interface keep them without loss.
type Limits struct {
	// Weight is the share of CPU time where groups compete: 1 to 10000, 0 = 100.
	Weight int64
	// Quota is the CPU time that may be used, in thousandths of one CPU: 10 to 1000000, 0 = no limit.
	Quota int64
	// Memory is the number of bytes above which the kernel ends a process, rounded down to whole pages. Cached pages of files
	// count too, but they go first. At least MinMemory, 0 = no limit.
	Memory int64
	// SoftMemory is the number of bytes above which the kernel takes pages from the group first when memory is short (version
	// 2: slows it down). What comes of it is the kernel's affair. 0 = no limit.
	SoftMemory int64
}

// The ranges of Limits.
const (
	DefaultWeight = 100
	MaxWeight     = 10_000
	MinQuota      = 10
	MaxQuota      = 1_000_000
	MinMemory     = 4 << 20
	pageSize      = 4096
	maxMemory     = 1 << 60
)

// check refuses what the kernel would not take, and gives the limits as they will be read back.
func (l Limits) check() (Limits, error) {
	refuse := func(what string, n, lo, hi int64) (Limits, error) {
		return l, failure.New(failure.Config, "limit control group:", what, fmt.Errorf("%d is not between %d and %d", n, lo, hi))
	}
	if l.Weight == 0 {
		l.Weight = DefaultWeight
	}
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

// Usage is what the processes of a group have used since it was made, those that ended included.
type Usage struct {
	CPU       time.Duration
	Throttled time.Duration // spent waiting because of Quota, summed over CPUs
	Memory    int64         // bytes in use now that cannot be had from a file again
	Peak      int64         // the most bytes ever, cached pages of files included; 0 = the kernel does not tell
	OOMKills  int64         // processes that the kernel ended because of Memory
}

// Config says where a Tree is to be.
type Config struct {
	Mount  string       // where the kernel shows control groups; "" = /sys/fs/cgroup
	Parent string       // the group below which all Trees lie, an absolute path; "" = /howdah
	Name   string       // what the owner calls itself, letters and digits; the process id is added
	Log    *slog.Logger // nil = slog.Default()
}

// The defaults of Config.
const (
	DefaultMount  = "/sys/fs/cgroup"
	DefaultParent = "/howdah"
)

// IsGroup tells whether a path names a group below the root of all, which a path with .. might leave.
func IsGroup(path string) bool {
	return strings.HasPrefix(path, "/") && strings.Trim(path, "/.") != "" && !strings.Contains(path+"/", "/../")
}

func (c *Config) fill() error {
	if c.Mount == "" {
		c.Mount = DefaultMount
	}
	if c.Parent == "" {
		c.Parent = DefaultParent
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if !IsGroup(c.Parent) {
		return failure.New(failure.Config, "open control groups", c.Parent, fmt.Errorf("not an absolute path of a group")).Fix("name it like " + DefaultParent)
	}
	return nil
}
