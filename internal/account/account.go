// Package account finds the users of this machine and lets a daemon that runs as root access files
// with the permissions of a user. [Look] finds a user, and [As] acts as one.
package account

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Account is a user of this machine. It is immutable.
type Account struct {
	Name   string
	UID    int
	GID    int      // primary group
	Groups []uint32 // all groups, including the primary one
}

// Lookups are cached, because every access to a file on behalf of a user needs one. A change to an
// account takes effect within cacheTime. For Member, which caches results that are based on cached
// accounts, it takes effect within twice that time.
const (
	cacheTime = time.Minute
	cacheSize = 10_000
)

var (
	accounts cache[string, *Account]
	members  cache[[2]string, bool] // by user and group
)

// cache keeps values for cacheTime. The zero value is empty. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]entry[V]
}

type entry[V any] struct {
	value V
	until time.Time
}

func (c *cache[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.all[key]
	return e.value, ok && time.Now().Before(e.until)
}

func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= cacheSize {
		c.all = map[K]entry[V]{}
	}
	c.all[key] = entry[V]{value, time.Now().Add(cacheTime)}
}

// Look returns the account of the named user. If this machine does not have the user, the error is
// of kind Permission. Look finds the users in /etc/passwd and, with the getent program, those in
// other directories such as LDAP. It is safe for concurrent use.
func Look(name string) (*Account, error) {
	if a, ok := accounts.get(name); ok {
		return a, nil
	}
	a, err := find(name)
	if err != nil {
		return nil, failure.New(failure.Permission, "act as user", name, err).
			Fix("create the account on this machine, or submit the job as a user who has one")
	}
	accounts.put(name, a)
	return a, nil
}

var errNone = errors.New("this machine has no account for the user")

func find(name string) (*Account, error) {
	if u, err := user.Lookup(name); err == nil {
		groups, err := u.GroupIds()
		if err != nil {
			return nil, err
		}
		return parse(name, u.Uid, u.Gid, groups)
	}
	// getent would look up a number as a user ID, and would parse a name that begins with '-' as an
	// option.
	if _, err := strconv.Atoi(name); err == nil || name == "" || name[0] == '-' {
		return nil, errNone
	}
	entry, err := run("getent", "passwd", name)
	fields := strings.Split(strings.TrimSpace(entry), ":")
	if err != nil || len(fields) < 4 || fields[0] != name {
		return nil, errNone
	}
	groups, err := run("id", "-G", name)
	if err != nil {
		return nil, err
	}
	return parse(name, fields[2], fields[3], strings.Fields(groups))
}

// lookTimeout is the time limit for one call to a directory service.
const lookTimeout = 10 * time.Second

func run(program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	return string(out), err
}

func parse(name, uid, gid string, groups []string) (*Account, error) {
	a := &Account{Name: name}
	var err error
	if a.UID, err = parseID(uid); err != nil {
		return nil, err
	}
	if a.GID, err = parseID(gid); err != nil {
		return nil, err
	}
	for _, g := range groups {
		id, err := parseID(g)
		if err != nil {
			return nil, err
		}
		a.Groups = append(a.Groups, uint32(id))
	}
	return a, nil
}

// parseID parses a numeric user or group ID. The largest number is not an ID, because system calls
// use it for "unchanged".
func parseID(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err == nil && n == 1<<32-1 {
		err = strconv.ErrRange
	}
	return int(n), err
}

// Check returns an error if As cannot act as the named user.
func Check(name string) error {
	_, err := other(name)
	return err
}

// other returns the account that As must switch to in order to act as name. It returns nil if As
// need not switch. A process that is not root cannot act as another user, and root needs no switch
// to use its own files.
func other(name string) (*Account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	a, err := Look(name)
	if err != nil || a.UID == 0 {
		return nil, err
	}
	return a, supported()
}

// As runs f with the file permissions of the named user, including those of the user's primary
// group and other groups. In a process that is not root, f runs as the process's own user. f must
// access files only from its own goroutine, and must not call As. In a root process, As does not
// run f for a user who has no account. Instead, it returns an error of kind Permission.
func As(name string, f func() error) error {
	a, err := other(name)
	if err != nil {
		return err
	}
	if a == nil {
		return f()
	}
	return a.do(f)
}

// Member reports whether the named user of this machine is in one of the given groups.
func Member(name string, groups []string) bool {
	return slices.ContainsFunc(groups, func(group string) bool {
		key := [2]string{name, group}
		in, known := members.get(key)
		if !known {
			in = isMember(name, group)
			members.put(key, in)
		}
		return in
	})
}

func isMember(name, group string) bool {
	a, err := Look(name)
	if err != nil {
		return false
	}
	id, err := groupID(group)
	return err == nil && slices.Contains(a.Groups, id)
}

// groupID returns the numeric ID of the named group. It finds groups the way Look finds users.
func groupID(name string) (uint32, error) {
	g, err := user.LookupGroup(name)
	if err == nil {
		id, err := parseID(g.Gid)
		return uint32(id), err
	}
	if name == "" || name[0] == '-' {
		return 0, err
	}
	entry, err := run("getent", "group", name)
	fields := strings.Split(strings.TrimSpace(entry), ":")
	if err != nil || len(fields) < 3 || fields[0] != name {
		return 0, errNone
	}
	id, err := parseID(fields[2])
	return uint32(id), err
}
