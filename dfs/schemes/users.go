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

// Users provides a daemon with file systems that act for its users. It is safe for concurrent use.
type Users struct {
	c   *conf.Config
	log func(text string)

	mu     sync.Mutex
	all    map[userKey]*userFS
	unused []*userFS // least recently released first
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

// maxUnused limits the number of unused file systems that Users keeps for later jobs of the same
// users.
const maxUnused = 64

// NewUsers returns a Users whose file systems c configures. log receives the same messages as in
// Resolver.
func NewUsers(c *conf.Config, log func(text string)) *Users {
	return &Users{c: c, log: log, all: map[userKey]*userFS{}}
}

// As returns a resolver that acts for the given user. A daemon that runs as root accesses local
// files with the user's permissions. If this machine does not have the user, access to local files
// fails with an error of kind Permission. Other daemons access local files as themselves. On a
// secured cluster, the user authenticates only with the tokens in credentials, the content of a
// file in Hadoop's format. A nil value means no tokens. The caller must call release when done.
// Several callers can share the file systems.
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
		_ = old.Close() // unused
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

// Close closes all file systems, even those in use.
func (u *Users) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, f := range u.all {
		_ = f.set.Close() // writers were closed earlier
	}
	clear(u.all)
	u.unused = nil
	return nil
}
