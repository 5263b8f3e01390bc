package cgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A path that leaves the mount would have limits written to ordinary files, where they hold nothing.
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
