package auth_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

func named(file string) *conf.Config {
	c := conf.New()
	c.Set(auth.KeySecretFile, file, "core-site.xml:5")
	return c
}

// home sets an empty home directory and returns it.
func home(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	return dir
}

// TestUsersSecret checks that processes that start together create one secret, which only the user
// can read.
func TestUsersSecret(t *testing.T) {
	dir := home(t)
	var wg sync.WaitGroup
	secrets := make([]*auth.Secret, 16)
	for i := range secrets {
		wg.Go(func() {
			var err error
			secrets[i], err = auth.Load(conf.New())
			require.NoError(t, err)
		})
	}
	wg.Wait()
	for _, s := range secrets {
		require.Equal(t, secrets[0].Key("rpc"), s.Key("rpc"))
		require.True(t, strings.HasPrefix(s.File(), dir), s.File())
	}
	info, err := os.Stat(secrets[0].File())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	files, err := os.ReadDir(filepath.Dir(secrets[0].File()))
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file is left")
}

func TestSecretFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	long := strings.Repeat("0123456789abcdef", 2)
	write := func(text string, mode os.FileMode) {
		_ = os.Remove(file) // the last one may be read-only
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chmod(file, mode))
	}
	write(long+"\n", 0o400)
	s, err := auth.Load(named(file))
	require.NoError(t, err)
	write(long, 0o600)
	same, err := auth.Load(named(file))
	require.NoError(t, err)
	require.Equal(t, s.Key("rpc"), same.Key("rpc"), "line breaks at the end do not count")
	require.NotEqual(t, s.Key("rpc"), s.Key("gossip"))
	require.Equal(t, s.Fingerprint(), same.Fingerprint())
	require.NotEqual(t, s.Fingerprint(), auth.NewSecret().Fingerprint())

	token, _ := s.Issue(auth.Claims{User: "alice", Expires: 1})
	for _, c := range []struct {
		text string
		mode os.FileMode
		says string
	}{
		{token, 0o600, "contains a token"},
		{long[1:], 0o600, "has 31 bytes; want at least 32"},
		{strings.Repeat("x", 4097), 0o600, "more than 4096 bytes"},
		{long, 0o640, "chmod 600"},
		{long, 0o602, "chmod 600"},
	} {
		write(c.text, c.mode)
		_, err := auth.Load(named(file))
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, "core-site.xml:5")
		require.NotContains(t, err.Error(), long)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, bad := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir(), pipe} {
		_, err := auth.Load(named(bad))
		require.True(t, failure.Is(err, failure.Config), "%v", err)
	}
}

// TestOneRemedy checks that an error about a file that others can read has only the remedy that helps.
func TestOneRemedy(t *testing.T) {
	home(t)
	s, err := auth.Load(conf.New())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(s.File(), 0o644))
	withToken := conf.New()
	withToken.Set(auth.KeyTokenFile, s.File(), "test")
	for _, c := range []*conf.Config{conf.New(), named(s.File()), withToken} {
		_, err := auth.LoadProof(c, auth.JobTracker)
		require.True(t, strings.HasSuffix(err.Error(), "has mode 0644, so other users can use it; run: chmod 600 "+s.File()),
			"%v", err)
	}
}

// TestUnreadableSecret checks that a user who may not read the daemons' secret learns of tokens.
func TestUnreadableSecret(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read every file")
	}
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, make([]byte, 64), 0))
	_, err := auth.Load(named(file))
	require.ErrorContains(t, err, "howdah token create")
	require.NotContains(t, err.Error(), "/dev/urandom")
}

// TestAnotherUsersHome checks that root, after "sudo" without -H, neither uses another user's secret
// nor creates its own where that user could replace it.
func TestAnotherUsersHome(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who can give files away")
	}
	dir := home(t)
	require.NoError(t, os.Chown(dir, 4711, 4711))
	_, err := auth.Load(conf.New())
	require.ErrorContains(t, err, "belongs to 4711")
	require.NoDirExists(t, filepath.Join(dir, ".config"))

	file := filepath.Join(dir, ".config", "howdah", "secret")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, make([]byte, 64), 0o600))
	require.NoError(t, os.Chown(file, 4711, 4711))
	_, err = auth.Load(conf.New())
	require.ErrorContains(t, err, "belongs to 4711")

	// Some files of root have content that everybody knows, such as the settings in /proc/sys.
	known := filepath.Join(t.TempDir(), "known")
	require.NoError(t, os.WriteFile(known, make([]byte, 64), 0o600))
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink(known, file))
	require.NoError(t, os.Chown(filepath.Dir(file), 4711, 4711))
	_, err = auth.Load(conf.New())
	require.ErrorContains(t, err, filepath.Dir(file)+" belongs to 4711")
}

func TestCheckBind(t *testing.T) {
	for addr, ok := range map[string]bool{"": true, "127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true,
		"127.8.8.8:0": true, ":1": false, "0.0.0.0:1": false, "[::]:1": false, "10.0.0.1:1": false, "node:1": false} {
		err := auth.CheckBind(conf.New(), "mapreduce.jobtracker.address", addr)
		require.Equal(t, ok, err == nil, "%s: %v", addr, err)
		require.Equal(t, !ok, failure.Is(err, failure.Config))
		require.NoError(t, auth.CheckBind(named("/etc/secret"), "mapreduce.jobtracker.address", addr))
	}
}
