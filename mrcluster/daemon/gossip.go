package daemon

import (
	"path/filepath"

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
