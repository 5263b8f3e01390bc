package daemon

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/gossip"
)

// reader reads words, too.
type reader struct{ conf.Reader }

// word calls what belongs to the value of a key; an unset one changes nothing.
func (r *reader) word(key string, words map[string]func()) {
	value := r.Conf.Get(key)
	if set := words[value]; set != nil {
		set()
	} else if value != "" {
		r.Note(r.Conf.Refuse(key, errors.New("want one of "+strings.Join(slices.Sorted(maps.Keys(words)), ", "))))
	}
}

// Gossip says how members of a pool find each other.
type Gossip struct {
	Addr string   // howdah.gossip.address
	Join []string // howdah.gossip.join
	Key  []byte   // from howdah.gossip.key.file
}

func gossipConf(c *conf.Config) (Gossip, error) {
	key, err := gossip.ReadKey(c)
	return Gossip{c.Get(KeyGossipAddr), c.Strings("howdah.gossip.join"), key}, err
}
