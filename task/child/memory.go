package child

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/task"
)

// memory is what the attempt may use: what it was launched with, or what a lease gives it. Its methods may be called concurrently.
type memory struct {
	limit func(mb int32) // puts it into force

	mu      sync.Mutex
	attempt string
	mb      int32 // at the launch; 0 = not limited
	leases  int   // that there have been; the timer of an older one may have fired when it is stopped
	lapse   *time.Timer
}

// begin says what an attempt is launched with. A lease of the one before is over.
func (m *memory) begin(attempt string, mb int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	m.attempt, m.mb = attempt, mb
	if mb > 0 {
		m.limit(mb)
	}
}

// lease takes the TaskTracker's word. What is meant for another attempt comes too late or too early.
func (m *memory) lease(l *umbilical.Memory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.Attempt != m.attempt || m.mb <= 0 || l.Mb <= 0 {
		return
	}
	m.end()
	m.limit(l.Mb)
	n := m.leases
	m.lapse = time.AfterFunc(time.Duration(l.Millis)*time.Millisecond, func() { m.lapsed(n) })
}

func (m *memory) lapsed(lease int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if lease == m.leases { // not renewed or ended meanwhile
		m.limit(m.mb)
	}
}

// end is called with mu held.
func (m *memory) end() {
	m.leases++
	if m.lapse != nil {
		m.lapse.Stop()
	}
}

// limitProcess makes the garbage collector heed a limit, and gives back at once what is above it: the kernel will not lower the
// control group's limit before that.
func limitProcess(mb int32) {
	task.LimitProcess(int64(mb))
	if mapped() > debug.SetMemoryLimit(-1) {
		debug.FreeOSMemory()
	}
}

// mapped is how many bytes the Go runtime has of the system.
func mapped() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
