package daemon

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/gossip"
)

// reader keeps the first error, so that reading a configuration looks like a table.
type reader struct {
	c   *conf.Config
	err error
}

func (r *reader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) int(key string, def, lo, hi int64) int64 {
	n, err := r.c.Int(key, def, lo, hi)
	r.note(err)
	return n
}

func (r *reader) float(key string, def, lo, hi float64) float64 {
	f, err := r.c.Float(key, def, lo, hi)
	r.note(err)
	return f
}

// word calls what belongs to the value of a key; an unset one changes nothing.
func (r *reader) word(key string, words map[string]func()) {
	value := r.c.Get(key)
	if set := words[value]; set != nil {
		set()
	} else if value != "" {
		r.note(r.c.Refuse(key, errors.New("want one of "+strings.Join(slices.Sorted(maps.Keys(words)), ", "))))
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
	return Gossip{c.Get("howdah.gossip.address"), c.Strings("howdah.gossip.join"), key}, err
}
