package passwd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passwd")
	require.NoError(t, os.WriteFile(file,
		[]byte("# comment\nroot:x:0:0:root:/root:/bin/sh\nother:x:0:0::/:\n\n"+
			"broken\nalso:x:notanumber:\nuser:x:1000:1000"), 0o666))
	p := read(file)
	require.Equal(t, "root", p.name(0), "the first name of a number wins")
	require.Equal(t, "user", p.name(1000))
	require.Equal(t, "77", p.name(77))
	for name, want := range map[string]int{"root": 0, "other": 0, "user": 1000, "77": 77} {
		id, ok := p.id(name)
		require.True(t, ok, name)
		require.Equal(t, want, id)
	}
	for _, name := range []string{"nobody-here", "", "-1"} {
		_, ok := p.id(name)
		require.False(t, ok, name)
	}
	require.Equal(t, "5", read("/no/such/file").name(5))
}

func TestMe(t *testing.T) {
	require.NotEmpty(t, Me())
	id, ok := UserID(User(os.Geteuid()))
	require.True(t, ok)
	require.Equal(t, os.Geteuid(), id)
	_, ok = GroupID(Group(os.Getegid()))
	require.True(t, ok)
}
