// Package acl uses Hadoop's access control lists to decide who may see and change jobs, and who may
// submit jobs to queues. RPC handlers and web pages call [Rules.Job] and [Rules.Submit] for these
// decisions.
package acl

import (
	"slices"
	"strings"

	"github.com/howdah/howdah/internal/account"
)

// A List is an access control list in Hadoop's format "user1,user2 group1,group2". The list "*"
// contains all users. A blank list, such as the zero value, contains nobody.
type List struct {
	text          string
	all           bool
	users, groups []string
}

// Everybody is the list "*".
var Everybody = List{text: "*", all: true}

// Parse parses an access control list.
func Parse(text string) List {
	if strings.TrimSpace(text) == "*" {
		return Everybody
	}
	users, groups, _ := strings.Cut(text, " ")
	return List{text: text, users: names(users), groups: names(groups)}
}

func names(text string) (list []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// String returns the list in Hadoop's format.
func (l List) String() string { return l.text }

// Has reports whether the list contains the user or one of the user's groups on this machine. No
// list contains the user "".
func (l List) Has(user string) bool {
	return user != "" && (l.all || slices.Contains(l.users, user) || account.Member(user, l.groups))
}
