package daemon

import (
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
)

// Gossip is the configuration by which the members of a pool find each other.
type Gossip struct {
	Addr string   // howdah.gossip.address
	Join []string // howdah.gossip.join
	Key  []byte   // howdah.gossip.key.file, or derived from the secret
}

func gossipConf(c *conf.Config, s *auth.Secret) (Gossip, error) {
	key, err := auth.GossipKey(c, s)
	return Gossip{conf.GossipAddress.Get(c), conf.GossipJoin.Get(c), key}, err
}

// peersFile returns the file that stores the members for the next start.
func peersFile(dir string) string { return filepath.Join(dir, "peers") }

// complainEvery is the minimum interval between two log lines about members with different keys.
const complainEvery = 10 * time.Second

// complain returns a function that logs when members have different keys. It limits the rate
// because such members retry continually. It does not log that members are gone, because that is
// normal for gossip.
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
			log.Warn("gossip members have different keys; use the same howdah.security.secret.file and "+
				"howdah.gossip.key.file for all", "problem", text)
		}
	}
}
