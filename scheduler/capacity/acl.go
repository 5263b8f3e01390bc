package capacity

import (
	"slices"
	"strings"
)

// acl says who may do something: "user1,user2 group1,group2"; "*" is everybody, a blank nobody. Groups are not known here and
// let nobody in.
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

// acl reads a list; one that is not set is open to everybody, as in Hadoop.
func (r *source) acl(key string) acl {
	if _, _, set := r.c.Lookup(key); !set {
		return acl{all: true}
	}
	return parseACL(r.c.Get(key))
}

func (a acl) allows(user string) bool { return a.all || slices.Contains(a.users, user) }
