package auth

import (
	"os/user"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACL(t *testing.T) {
	me, err := user.Current()
	require.NoError(t, err)
	group, err := user.LookupGroupId(me.Gid)
	require.NoError(t, err)
	for _, c := range []struct {
		text, user string
		want       bool
	}{
		{"*", "ann", true}, {" * ", "ann", true}, {"*", "", false},
		{"", "ann", false}, {" ", "ann", false}, {"", "", false}, {",", "", false},
		{"ann", "ann", true}, {"bob,ann", "ann", true}, {"ann,bob ops", "bob", true}, {"ann", "an", false},
		{"ann ops", "ops", false}, {"ann,* ops", "bob", false},
		{" " + group.Name, me.Username, true}, {"ann no-such-group," + group.Name, me.Username, true},
		{group.Name, me.Username, group.Name == me.Username}, {" " + group.Name, "no-such-user", false},
	} {
		require.Equal(t, c.want, ParseACL(c.text).Lists(c.user), "%q lists %q", c.text, c.user)
	}
}
