package child

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/task"
)

// memory is the attempt's memory limit. The TaskTracker sets the limit when it launches the
// attempt, and can change it for a limited time with a lease. It is safe for concurrent use.
type memory struct {
	limit func(mb int32) // applies a limit

	mu      sync.Mutex
	attempt string
	mb      int32 // limit at launch; 0 means unlimited
	leases  int   // number of leases started or canceled so far; detects an older lease's timer that fires late
	lapse   *time.Timer
}

// begin sets the limit for a newly launched attempt. It cancels any lease of the previous attempt.
func (m *memory) begin(attempt string, mb int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	m.attempt, m.mb = attempt, mb
	if mb > 0 {
		m.limit(mb)
	}
}

// lease applies the limit in l until the lease expires. It ignores an outdated lease for another
// attempt, and it ignores every lease if the attempt has no limit.
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
	if lease == m.leases { // the lease was neither renewed nor canceled in the meantime
		m.limit(m.mb)
	}
}

// end cancels the lease. The caller must hold mu.
func (m *memory) end() {
	m.leases++
	if m.lapse != nil {
		m.lapse.Stop()
	}
}

// limitProcess makes the garbage collector respect a limit of mb MiB and immediately returns memory
// above the limit to the system. The control group's limit can be lowered only after that.
func limitProcess(mb int32) {
	task.LimitProcess(int64(mb))
	if mapped() > debug.SetMemoryLimit(-1) {
		debug.FreeOSMemory()
	}
}

// mapped returns the number of bytes that the Go runtime has obtained from the system and not
// returned.
func mapped() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
