package auth

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
)

// KeyGossipFile is the configuration key for the file with the key that encrypts gossip.
const KeyGossipFile = "howdah.gossip.key.file"

// maxKeyFile limits the size of a file with a key, in bytes.
const maxKeyFile = 1024

// GossipKey returns the key that encrypts gossip. It is derived from the secret unless
// [KeyGossipFile] names a file with a key of 16, 24, or 32 bytes. GossipKey ignores line breaks at
// the end of the file and refuses a file that other users can read or write.
func GossipKey(c *conf.Config, s *Secret) ([]byte, error) {
	file := conf.GossipKeyFile.Get(c)
	if file == "" {
		return s.Key("gossip"), nil
	}
	b, err := ReadPrivate(file, maxKeyFile)
	if err != nil {
		return nil, c.Refuse(KeyGossipFile, err)
	}
	key := []byte(strings.TrimRight(string(b), "\r\n"))
	switch len(key) {
	case 16, 24, 32:
		return key, nil
	}
	return nil, c.Refuse(KeyGossipFile, fmt.Errorf("the file has %d bytes; want 16, 24 or 32", len(key)))
}
