package auth

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
)

func TestMode(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	c := conf.New()
	mode := func(others ...string) Mode {
		p, err := LoadProof(c, JobTracker)
		require.NoError(t, err)
		return NewMode(c, p, others...)
	}
	m := mode("tasks as users")
	own := "laptop secret of user " + passwd.Me()
	require.Equal(t, own+", no TLS, ACLs off, tasks as users", m.Public())
	require.Contains(t, m.String(), own+" in "+dir)

	file := filepath.Join(dir, "shared")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("s"), 64), 0o600))
	c.Set(KeySecretFile, file, "test")
	c.Set(conf.ClusterACLsEnabled.Name, "true", "test")
	m = mode()
	require.Equal(t, "secret file, no TLS, ACLs on", m.Public())
	require.Equal(t, "secret file "+file+", no TLS, ACLs on", m.String())

	s, err := Load(c)
	require.NoError(t, err)
	token, _ := s.Issue(Claims{Node: "n1", Expires: time.Now().Add(time.Hour).Unix()})
	tokens := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(tokens, []byte(token), 0o600))
	c.Set(KeyTokenFile, tokens, "test")
	m = mode("tasks as user x")
	require.Equal(t, "token of node n1, no TLS, ACLs on, tasks as user x", m.Public())
	require.Contains(t, m.String(), tokens)

	require.Zero(t, NewMode(c, nil, "tasks as users"), "the proof could not be read")
}
