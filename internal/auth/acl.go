package auth

import (
	"slices"
	"strings"
)

// ACL is a list of users and groups in Hadoop's format: "user1,user2 group1,group2". "*" lists
// everybody, and a blank list nobody. The zero value lists nobody. An ACL is immutable.
type ACL struct {
	all           bool
	users, groups []string
}

// ParseACL reads a list.
func ParseACL(text string) ACL {
	if strings.TrimSpace(text) == "*" {
		return ACL{all: true}
	}
	users, groups, _ := strings.Cut(text, " ")
	return ACL{users: names(users), groups: names(groups)}
}

func names(list string) (out []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Lists reports whether a user, or a group of the user on this machine, is in the list. No list
// contains the user "".
func (a ACL) Lists(user string) bool {
	return user != "" && (a.all || slices.Contains(a.users, user) || inGroup(user, a.groups))
}
