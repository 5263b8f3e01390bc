//go:build !linux

package procfs

import (
	"errors"
	"time"
)

// Tick is the unit of CPU time.
const Tick = 10 * time.Millisecond

// Process holds the parent and resource usage of one process.
type Process struct {
	Parent int
	Ticks  int64
	Memory int64
}

// Table maps process IDs to processes.
type Table map[int]Process

// ReadTree returns an error on this system.
func ReadTree(int) (Table, error) { return nil, errors.New("only Linux supports this") }

// IO returns 0.
func IO(int) (read, written int64) { return 0, 0 }

// MemoryTotal returns 0, which means unknown.
func MemoryTotal() int64 { return 0 }
