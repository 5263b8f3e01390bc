package auth_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

func TestGossipKey(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(name, []byte("0123456789abcdef\n"), 0o600))
	c := conf.New()
	c.Set(auth.KeyGossipFile, name, "core-site.xml:5")
	s := auth.NewSecret()
	key, err := auth.GossipKey(c, s)
	require.NoError(t, err)
	require.Equal(t, "0123456789abcdef", string(key))
	require.NoError(t, os.WriteFile(name, []byte("short"), 0o600))
	_, err = auth.GossipKey(c, s)
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "(core-site.xml:5): the file has 5 bytes")
}
