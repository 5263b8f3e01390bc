package capacity

import (
	"slices"
	"strings"
)

// An acl is an access control list in Hadoop's format "user1,user2 group1,group2". "*" admits all
// users, and a blank list admits no user. The groups of users are unknown here, so the groups in a
// list have no effect.
type acl struct {
	all   bool
	users []string
}

func parseACL(text string) acl {
	if strings.TrimSpace(text) == "*" {
		return acl{all: true}
	}
	var a acl
	users, _, _ := strings.Cut(text, " ")
	for u := range strings.SplitSeq(users, ",") {
		if u = strings.TrimSpace(u); u != "" {
			a.users = append(a.users, u)
		}
	}
	return a
}

// acl reads an access control list. An unset list admits all users, as in Hadoop.
func (r *source) acl(key string) acl {
	if _, _, set := r.Conf.Lookup(key); !set {
		return acl{all: true}
	}
	return parseACL(r.Conf.Get(key))
}

func (a acl) allows(user string) bool { return a.all || slices.Contains(a.users, user) }
