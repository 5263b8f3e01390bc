package schemes

import (
	"crypto/sha256"
	"io"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
)

// Users gives daemons file systems in the names of the users for whom they work. All methods may be called concurrently.
type Users struct {
	c   *conf.Config
	log func(text string)

	mu     sync.Mutex
	all    map[userKey]*userFS
	unused []*userFS // the one that was given back first in front
}

type userKey struct {
	name  string
	proof [sha256.Size]byte
}

type userFS struct {
	key  userKey
	set  *dfs.Set
	uses int
}

// maxUnused bounds the file systems that are kept for the next job of the same user.
const maxUnused = 64

// NewUsers reads where file systems are from c. log is Resolver's.
func NewUsers(c *conf.Config, log func(text string)) *Users {
	return &Users{c: c, log: log, all: map[userKey]*userFS{}}
}

// As gives a resolver in the name of a user, who proves on a secured cluster who he is by nothing but the tokens in credentials: a
// file as Hadoop writes it, nil for none. release it when done; its file systems may be shared with others meanwhile.
func (u *Users) As(user string, credentials []byte) (r dfs.Resolver, release func(), err error) {
	key := userKey{user, sha256.Sum256(credentials)}
	u.mu.Lock()
	defer u.mu.Unlock()
	f := u.all[key]
	if f == nil {
		if f, err = u.open(key, credentials); err != nil {
			return nil, nil, err
		}
		u.all[key] = f
	}
	if f.uses++; f.uses == 1 {
		u.unused = without(u.unused, f)
	}
	return f.set, sync.OnceFunc(func() { u.giveBack(f) }), nil
}

func (u *Users) open(key userKey, credentials []byte) (*userFS, error) {
	creds := &token.Credentials{}
	if len(credentials) > 0 {
		var err error
		if creds, err = token.Parse(credentials); err != nil {
			return nil, err
		}
	}
	set, err := ResolverAs(u.c, security.Options{User: key.name, Tokens: creds, TokensOnly: true}, u.log)
	if err != nil {
		return nil, err
	}
	return &userFS{key: key, set: set}, nil
}

func (u *Users) giveBack(f *userFS) {
	u.mu.Lock()
	var old io.Closer
	if f.uses--; f.uses == 0 {
		if u.unused = append(u.unused, f); len(u.unused) > maxUnused {
			delete(u.all, u.unused[0].key)
			old, u.unused = u.unused[0].set, u.unused[1:]
		}
	}
	u.mu.Unlock()
	if old != nil {
		_ = old.Close() // nobody uses it
	}
}

func without(list []*userFS, f *userFS) []*userFS {
	for i := range list {
		if list[i] == f {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}

// Close closes all file systems, those in use too.
func (u *Users) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, f := range u.all {
		_ = f.set.Close() // what was written was closed before
	}
	clear(u.all)
	u.unused = nil
	return nil
}
