package auth_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

func TestActing(t *testing.T) {
	c := conf.New()
	for key, value := range map[string]string{
		"hadoop.proxyuser.oozie.hosts": "10.0.0.7, 192.168.0.0/16", "hadoop.proxyuser.oozie.users": "alice,bob",
		"hadoop.proxyuser.first.last.hosts": "*", "hadoop.proxyuser.first.last.users": "*",
		"hadoop.proxyuser.grouped.hosts": "*", "hadoop.proxyuser.grouped.groups": "root",
		"hadoop.proxyuser.nowhere.users": "*",
		"hadoop.proxyuser.local.hosts":   "localhost", "hadoop.proxyuser.local.groups": "*",
		"hadoop.proxyuser.odd": "*", "hadoop.proxyuser.odd.x": "*",
	} {
		c.Set(key, value, "test")
	}
	configured := auth.NewActing(c)
	for _, x := range []struct {
		who  auth.Principal
		from string
		name string
		may  bool
		user string
	}{
		{auth.Principal{}, "10.0.0.7", "alice", false, ""},
		{auth.Principal{}, "10.0.0.7", "", false, ""},
		{auth.Principal{Admin: true}, "10.0.0.7", "alice", true, "alice"},
		{auth.Principal{Admin: true}, "10.0.0.7", "", true, ""},
		{auth.Principal{Node: "n1"}, "10.0.0.7", "alice", false, ""},
		{auth.Principal{Node: "n1"}, "10.0.0.7", "n1", false, ""},
		{auth.Principal{User: "alice"}, "10.0.0.7", "alice", true, "alice"},
		{auth.Principal{User: "alice"}, "10.0.0.7", "", true, "alice"},
		{auth.Principal{User: "alice"}, "10.0.0.7", "root", false, ""},
		{auth.Principal{User: "oozie"}, "10.0.0.7", "alice", true, "alice"},
		{auth.Principal{User: "oozie"}, "192.168.9.9", "bob", true, "bob"},
		{auth.Principal{User: "oozie"}, "10.0.0.8", "alice", false, ""},
		{auth.Principal{User: "oozie"}, "", "alice", false, ""},
		{auth.Principal{User: "oozie"}, "10.0.0.7", "root", false, ""},
		{auth.Principal{User: "first.last"}, "10.0.0.7", "root", true, "root"},
		{auth.Principal{User: "grouped"}, "10.0.0.7", "root", true, "root"},
		{auth.Principal{User: "grouped"}, "10.0.0.7", "no-such-user", false, ""},
		{auth.Principal{User: "nowhere"}, "10.0.0.7", "alice", false, ""},
		{auth.Principal{User: "local"}, "127.0.0.1", "alice", true, "alice"},
		{auth.Principal{User: "local"}, "10.0.0.7", "alice", false, ""},
		{auth.Principal{User: "odd"}, "10.0.0.7", "alice", false, ""},
	} {
		ctx := auth.With(t.Context(), x.who)
		if x.from != "" {
			ctx = auth.Via(ctx, &net.TCPAddr{IP: net.ParseIP(x.from), Port: 1})
		}
		user, err := configured.For(ctx, x.name)
		require.Equal(t, x.may, err == nil, "%+v: %v", x, err)
		require.Equal(t, x.user, user, "%+v", x)
		require.Equal(t, !x.may, failure.Is(err, failure.Permission), "%+v: %v", x, err)
		if x.who.Admin || x.name == x.who.User || x.name == "" {
			_, err := (*auth.Acting)(nil).For(ctx, x.name)
			require.Equal(t, x.may, err == nil, "without proxy users: %+v: %v", x, err)
		}
	}
}
