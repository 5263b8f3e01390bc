// Package passwd looks up users and groups in /etc/passwd and /etc/group without a C library. It
// reads each file at most once, on first use.
package passwd

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

var (
	users  = sync.OnceValue(func() table { return read("/etc/passwd") })
	groups = sync.OnceValue(func() table { return read("/etc/group") })
)

type table struct {
	names map[int]string
	ids   map[string]int
}

// read parses the lines of a file, which have the form name:x:id:...
func read(file string) table {
	t := table{map[int]string{}, map[string]int{}}
	b, err := os.ReadFile(file)
	if err != nil {
		return t // callers then use IDs as names
	}
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 4)
		if len(f) < 3 || f[0] == "" || f[0][0] == '#' {
			continue
		}
		id, err := strconv.Atoi(f[2])
		if err != nil {
			continue
		}
		if _, dup := t.names[id]; !dup {
			t.names[id] = f[0]
		}
		if _, dup := t.ids[f[0]]; !dup {
			t.ids[f[0]] = id
		}
	}
	return t
}

func (t table) name(id int) string {
	if n, ok := t.names[id]; ok {
		return n
	}
	return strconv.Itoa(id)
}

func (t table) id(name string) (int, bool) {
	if id, ok := t.ids[name]; ok {
		return id, true
	}
	id, err := strconv.Atoi(name)
	return id, err == nil && id >= 0
}

// User returns the name of a user ID, or the number if the ID is unknown.
func User(uid int) string { return users().name(uid) }

// Group returns the name of a group ID, or the number if the ID is unknown.
func Group(gid int) string { return groups().name(gid) }

// UserID returns the ID of a user, given by name or number, and reports whether the user is known. A
// number need not be in /etc/passwd.
func UserID(name string) (int, bool) { return users().id(name) }

// GroupID returns the ID of a group, given by name or number, and reports whether the group is
// known. A number need not be in /etc/group.
func GroupID(name string) (int, bool) { return groups().id(name) }

// Me returns the name of this process's user. If /etc/passwd does not list the user, it returns
// $USER or, if that is empty, the number.
func Me() string {
	uid := os.Geteuid()
	if n, ok := users().names[uid]; ok {
		return n
	}
	if n := os.Getenv("USER"); n != "" {
		return n
	}
	return strconv.Itoa(uid)
}
