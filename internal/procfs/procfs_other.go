//go:build !linux

package procfs

import (
	"errors"
	"time"
)

// Tick is the unit of CPU time.
const Tick = 10 * time.Millisecond

// Process is what counts of one.
type Process struct {
	Parent int
	Ticks  int64
	Memory int64
}

// Table is processes by number.
type Table map[int]Process

// Read cannot look at processes here.
func Read() (Table, error) { return nil, errors.New("only Linux tells it") }

// Tree lists nothing.
func (Table) Tree(int) []int { return nil }

// IO gives nothing.
func IO(int) (read, written int64) { return 0, 0 }

// MemoryTotal is not known.
func MemoryTotal() int64 { return 0 }
