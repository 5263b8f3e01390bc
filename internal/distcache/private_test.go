package distcache

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// openDir returns a temporary directory that every user can enter. It skips the test if the
// directory for temporary files is private.
func openDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "howdah-cache-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// mode returns the permissions of the directory that a copy is in.
func mode(t *testing.T, l *Lease, i int) os.FileMode {
	info, err := os.Stat(l.copies[i].dir)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func acquireAs(t *testing.T, s *Store, user User, entries []Entry) *Lease {
	l, err := s.Acquire(context.Background(), resolver(t, conf.New()), user, entries)
	require.NoError(t, err)
	return l
}

// Users share what everybody can read. What the job merely calls public remains private.
func TestWhoMayReadCopies(t *testing.T) {
	dir := openDir(t)
	files := []string{write(t, dir+"/open", "o"), write(t, dir+"/closed", "c"), dir + "/tree", dir + "/mixed"}
	write(t, dir+"/tree/x", "x")
	write(t, dir+"/mixed/x", "x")
	require.NoError(t, os.Chmod(dir+"/closed", 0o640))
	require.NoError(t, os.Chmod(dir+"/mixed/x", 0o640))
	entries := planned(t, files...)
	if !entries[0].Public {
		t.Skip("the directory for temporary files is private")
	}
	require.False(t, entries[1].Public)
	for i := range entries {
		entries[i].Public = true // a lie about half of them
	}
	s := newStore(t, 1<<20)
	given := map[string]string{}
	user := func(name string) User {
		return User{Name: name, Give: func(dir string) error { given[dir] = name; return nil }}
	}
	ann := acquireAs(t, s, user("ann"), entries)
	bob := acquireAs(t, s, user("bob"), entries)
	for i, shared := range []bool{true, false, true, false} {
		require.Equal(t, shared, ann.copies[i] == bob.copies[i], files[i])
		if shared {
			require.EqualValues(t, 0o755, mode(t, ann, i), files[i])
			require.NotContains(t, given, ann.copies[i].dir)
			continue
		}
		require.EqualValues(t, 0o700, mode(t, ann, i), files[i])
		require.Equal(t, "ann", given[ann.copies[i].dir])
		require.Equal(t, "bob", given[bob.copies[i].dir])
	}
	require.True(t, entries[1].Public, "the caller's entries do not change")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(ann.copies[0].dir), "*"))
	require.NoError(t, err)
	require.Len(t, left, 6, "what was not public leaves nothing behind")
}
