package daemon

import (
	"sync"

	wire "github.com/howdah/howdah/internal/wire/tracker"
)

// revoked is the set of revoked tokens, which the JobTracker sends with its replies to heartbeats. It
// is safe for concurrent use.
type revoked struct {
	mu    sync.RWMutex
	ids   map[string]bool
	epoch int64 // epoch of the JobTracker that sent count
	count uint32
}

// add adds the revoked tokens in a reply and records how many the JobTracker has sent so far.
func (v *revoked) add(d *wire.Desired) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ids == nil {
		v.ids = map[string]bool{}
	}
	for _, id := range d.GetRevoked() {
		v.ids[id] = true
	}
	v.epoch, v.count = d.GetEpoch(), d.GetRevocations()
}

// known returns the number of revoked tokens that the JobTracker has sent in the given epoch.
func (v *revoked) known(epoch int64) uint32 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if epoch != v.epoch {
		return 0
	}
	return v.count
}

// has reports whether the token whose ID is id was revoked.
func (v *revoked) has(id string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.ids[id]
}
