package daemon

import (
	"sync"
	"time"
)

// rate limits how often something happens. It is safe for concurrent use.
type rate struct {
	perSecond float64

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// burst is the number of seconds for which unused events accumulate. After a quiet period, up to
// burst*perSecond events can therefore happen at the same time.
const burst = 10

func newRate(perSecond int64) *rate {
	return &rate{perSecond: float64(perSecond), tokens: burst * float64(perSecond)}
}

// take reports whether an event may happen now, and counts it if so.
func (r *rate) take(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() {
		r.tokens = min(r.tokens+r.perSecond*now.Sub(r.last).Seconds(), burst*r.perSecond)
	}
	r.last = now
	if r.tokens < 1 {
		return false
	}
	r.tokens--
	return true
}
