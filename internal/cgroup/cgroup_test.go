package cgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// IsGroup rejects paths outside the mount, where limits would be ordinary files without effect.
func TestIsGroup(t *testing.T) {
	for _, path := range []string{"/howdah", "/a/b", "/a/", "/..a", "/a.."} {
		require.True(t, IsGroup(path), path)
	}
	for _, path := range []string{"", "/", "//", "/.", "howdah", "/..", "/../x", "/a/..", "/a/../../x"} {
		require.False(t, IsGroup(path), path)
		_, err := Open(Config{Mount: t.TempDir(), Parent: path})
		require.Error(t, err, path)
	}
}
