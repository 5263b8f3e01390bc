package auth

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
)

// KeyGossipFile is the configuration key for the file with the key that encrypts gossip.
const KeyGossipFile = "howdah.gossip.key.file"

// maxKeyFile is the maximum size of a key file, in bytes.
const maxKeyFile = 1024

// GossipKey returns the key that encrypts gossip. It is derived from the secret unless
// [KeyGossipFile] names a file with a key of 16, 24, or 32 bytes. GossipKey ignores line breaks at
// the end of the file and rejects a file that other users can read or write. A daemon that has only
// a token or a keytab (s is nil) needs such a file.
func GossipKey(c *conf.Config, s *Secret) ([]byte, error) {
	file := conf.GossipKeyFile.Get(c)
	switch {
	case file == "" && s == nil:
		return nil, c.Refuse(KeyGossipFile, errors.New("gossip needs the secret or a key of its own, not a token or keytab")).
			Fix("set " + KeyGossipFile + ", or set the address of the daemon to find instead of a member of the gossip")
	case file == "":
		return s.Key("gossip"), nil
	}
	b, err := ReadPrivate(file, maxKeyFile)
	if err != nil {
		return nil, c.Refuse(KeyGossipFile, err).Fix(Remedy(err, ""))
	}
	key := []byte(strings.TrimRight(string(b), "\r\n"))
	switch len(key) {
	case 16, 24, 32:
		return key, nil
	}
	return nil, c.Refuse(KeyGossipFile, fmt.Errorf("the file has %d bytes; want 16, 24 or 32", len(key)))
}

// NodeGossipKey is like GossipKey for a daemon that is only a client of other daemons, such as a
// TaskTracker. Such a daemon needs no secret if it has a key file, and a token or a keytab.
func NodeGossipKey(c *conf.Config) ([]byte, error) {
	if (conf.SecurityTokenFile.Get(c) != "" || nodeKeytab(c)) && conf.SecuritySecretFile.Get(c) == "" {
		return GossipKey(c, nil)
	}
	s, err := Load(c)
	if err != nil {
		return nil, err
	}
	return GossipKey(c, s)
}
