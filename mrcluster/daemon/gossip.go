package daemon

import (
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// peersFile remembers members for the next start.
func peersFile(dir string) string { return filepath.Join(dir, "peers") }

// complainEvery bounds how often what goes wrong between members is logged.
const complainEvery = 10 * time.Second

// complain logs that members have different keys, not more often than need be: they try again all the time. That one is gone is no
// problem of the gossip.
func complain(log *slog.Logger) func(text string) {
	var mu sync.Mutex
	var last time.Time
	return func(text string) {
		if !strings.Contains(strings.ToLower(text), "crypt") {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= complainEvery {
			last = now
			log.Warn("gossip: members cannot understand each other; is howdah.gossip.key.file the same for all?", "problem", text)
		}
	}
}
