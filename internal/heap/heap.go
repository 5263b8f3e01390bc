// Package heap delays the first garbage collection of processes that usually end before it pays
// off, such as commands and small tasks.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"unsafe"
)

// Small is the number of bytes by which [Delay] should delay the first garbage collection of a
// short process. With it, the heap grows to 16 MiB before the collection.
const Small = 12 << 20

// minimum is the size in bytes that the heap reaches before the first collection at 100 percent.
const minimum = 4 << 20

// Delay lets the heap grow by n bytes more before the process's first garbage collection. The
// delays of several calls add up. After the first collection, the usual percentage applies, and
// Delay has no effect. It also has none if the user has chosen a percentage with GOGC. It is safe
// for concurrent use.
func Delay(n int64) {
	if os.Getenv("GOGC") == "" {
		first.add(n, collected)
	}
}

var first delay

// delay is the delay of the first collection.
type delay struct {
	mu      sync.Mutex
	bytes   int64
	percent int // in force until the collection
}

func (d *delay) add(n int64, collected func() bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if collected() {
		return
	}
	d.bytes += n
	d.percent = int((minimum + d.bytes) * 100 / minimum)
	before := debug.SetGCPercent(d.percent)
	if collected() { // while SetGCPercent waited
		debug.SetGCPercent(before)
	} else if d.bytes == n {
		runtime.AddCleanup(new(*int), d.end, before)
	}
}

// end restores the usual percentage, unless the program has set another one during the delay.
func (d *delay) end(usual int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if percent() == d.percent {
		debug.SetGCPercent(usual)
	}
}

func collected() bool { return read("/gc/cycles/total:gc-cycles") > 0 }

func percent() int { return int(read("/gc/gogc:percent")) }

func read(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// large is the number of bytes from which memory returns to the operating system at once. The next
// collection may come only after the heap has doubled.
const large = 32 << 20

// Make returns n bytes with arbitrary content. If n is large, it first returns the memory of garbage
// to the operating system.
func Make(n int) []byte {
	if n >= large {
		debug.FreeOSMemory()
	}
	return Untouched(n)
}

// Drop sets *buf to nil. If the buffer is large, Drop returns its memory to the operating system,
// unless the memory is still in use.
func Drop(buf *[]byte) {
	freed := len(*buf) >= large
	if *buf = nil; freed {
		debug.FreeOSMemory()
	}
}

// Untouched returns n bytes with arbitrary content. Unlike make, it does not clear memory that it
// reuses. Pages that nothing writes to therefore use no physical memory.
func Untouched(n int) []byte {
	var b strings.Builder // the only way to allocate without clearing
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}

// shiftStep is the number of bytes that Shift copies before it releases them.
const shiftStep = 8 << 20

// Shift moves the bytes from from to to of *buf to index at. If size is larger than *buf, Shift
// replaces *buf with a new buffer of size bytes and drops the old one. All other bytes of *buf are then
// undefined. A large old buffer returns its memory to the operating system as the new one fills, and
// bytes of the new one that nothing has written need no memory. No part of the old buffer may be in
// use.
func Shift(buf *[]byte, at, from, to, size int) {
	old := *buf
	if size <= len(old) {
		copy(old[at:], old[from:to])
		return
	}
	next := Untouched(size)
	for from < to {
		part := old[from:min(to, from+shiftStep)]
		n := copy(next[at:], part)
		if len(old) >= large {
			release(part)
		}
		from, at = from+n, at+n
	}
	Drop(buf)
	*buf = next
}
