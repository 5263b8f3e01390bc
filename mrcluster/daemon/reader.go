package daemon

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
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
	key, err := gossipKey(c)
	return Gossip{c.Get("howdah.gossip.address"), c.Strings("howdah.gossip.join"), key}, err
}

// gossipKey reads the secret that encrypts gossip.
func gossipKey(c *conf.Config) ([]byte, error) {
	const name = "howdah.gossip.key.file"
	file := c.Get(name)
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, c.Refuse(name, err)
	}
	key := []byte(strings.TrimRight(string(b), "\r\n"))
	switch len(key) {
	case 16, 24, 32:
		return key, nil
	}
	return nil, c.Refuse(name, fmt.Errorf("the file has %d bytes; want 16, 24 or 32", len(key)))
}
