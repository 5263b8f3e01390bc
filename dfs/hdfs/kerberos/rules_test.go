package kerberos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRules(t *testing.T) {
	for _, x := range []struct{ rules, principal, user string }{
		{"", "alice@R", "alice"},
		{"", "nn/host@R", "nn"},
		{"", "alice@OTHER", ""},
		{"RULE:[1:$1@$0](.*@OTHER)s/@.*// DEFAULT", "alice@OTHER", "alice"},
		{"RULE:[1:$1@$0](.*@OTHER)s/@.*// DEFAULT", "alice@R", "alice"},
		{"RULE:[2:$1@$0](nn@R)s/.*/hdfs/ DEFAULT", "nn/host.example.com@R", "hdfs"},
		{"RULE:[2:$1;$2](^.*;admin$)s/;admin$//", "bob/admin@R", "bob"},
		{"RULE:[1:$1]/L", "ALICE@R", "alice"},
		{"RULE:[1:$1]s/a/b/g", "banana@R", "bbnbnb"},
		{"RULE:[1:$1]s/a/b/", "banana@R", "bbnana"},
		{"RULE:[1:$1]s/(.*)n(.*)/$2x$1/", "banana@R", "axbana"},
		{"RULE:[1:$1@$0]", "alice@R", ""}, // not a user's name
	} {
		r, err := ParseRules(x.rules)
		require.NoError(t, err)
		user, err := r.Local(x.principal, "R")
		require.Equal(t, x.user, user, "%v: %v", x, err)
		require.Equal(t, x.user == "", err != nil)
	}
	for _, bad := range []string{"RULE", "RULE:[0:$1]", "RULE:[1:$1](", "RULE:[1:$1]s/[/x/", "RULE:[1:$1]([)"} {
		_, err := ParseRules(bad)
		require.Error(t, err, bad)
	}
}

func FuzzRules(f *testing.F) {
	f.Add("RULE:[2:$1@$0](nn@R)s/.*/hdfs/ DEFAULT", "nn/h@R")
	f.Fuzz(func(_ *testing.T, text, principal string) {
		if r, err := ParseRules(text); err == nil {
			_, _ = r.Local(principal, "R")
		}
	})
}
