package gossip

import (
	"fmt"
	"os"
	"strings"

	"github.com/howdah/howdah/conf"
)

// KeyFile is the configuration key for the file with the secret that encrypts gossip.
const KeyFile = "howdah.gossip.key.file"

// ReadKey reads the secret that encrypts gossip, which is 16, 24, or 32 bytes long. It ignores line
// breaks at the end of the file. It does not check that the file is hidden from other users. ReadKey
// returns nil if no file is set.
func ReadKey(c *conf.Config) ([]byte, error) {
	file := conf.GossipKeyFile.Get(c)
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, c.Refuse(KeyFile, err)
	}
	key := []byte(strings.TrimRight(string(b), "\r\n"))
	switch len(key) {
	case 16, 24, 32:
		return key, nil
	}
	return nil, c.Refuse(KeyFile, fmt.Errorf("the file has %d bytes; want 16, 24 or 32", len(key)))
}
