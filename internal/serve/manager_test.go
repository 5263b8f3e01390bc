package serve

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision"
)

// An unknown back end is rejected even if the manager starts no nodes.
func TestBackEndIsRead(t *testing.T) {
	c := conf.New()
	m := Manager{Conf: c}
	_, _, err := m.backend()
	require.NoError(t, err)
	c.Set(conf.MRClusterBackend.Name, "moon", "test")
	for _, nodes := range []string{"0", "1"} {
		c.Set(conf.MRClusterNodes.Name, nodes, "test")
		_, _, err = m.backend()
		require.True(t, failure.Is(err, failure.Config), "%v", err)
	}
}

// The names of files with histories contain those of users and jobs.
func TestHistoriesArePrivate(t *testing.T) {
	c, dir := conf.New(), t.TempDir()
	c.Set(conf.MRClusterNodes.Name, "1", "test")
	c.Set(conf.MRClusterManagerDir.Name, dir, "test")
	b, _, err := Manager{Conf: c, Log: slog.New(slog.DiscardHandler)}.backend()
	require.NoError(t, err)
	require.NoError(t, b.Close(t.Context()))
	info, err := os.Stat(filepath.Join(dir, "history"))
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|0o700, info.Mode())
}

// A manager that fails to start removes the resources of its back end. If another manager has
// locked the directory, the failed manager leaves that manager's back end alone.
func TestBackEndIsClosed(t *testing.T) {
	dir := t.TempDir()
	manager := func(settings ...string) Manager {
		c := conf.New()
		for _, kv := range append([]string{conf.MRClusterManagerDir.Name + "=" + dir, daemon.KeyAddr + "=127.0.0.1:0",
			conf.MRClusterManagerHTTPAddress.Name + "=127.0.0.1:0"}, settings...) {
			key, value, _ := strings.Cut(kv, "=")
			c.Set(key, value, "test")
		}
		return Manager{Conf: c, Log: slog.New(slog.DiscardHandler)}
	}
	for _, c := range []struct {
		host, set, says string
	}{
		{"10.0.0.1", "", "reach this machine at 10.0.0.1"},
		{"10.0.0.1", daemon.KeyAddr + "=localhost:0", "reach this machine at 10.0.0.1"},
		{"127.0.0.1", daemon.KeyAddr + "=192.0.2.1:0", "192.0.2.1"}, // not an address of this machine
	} {
		b := &fakeBackend{host: c.host}
		_, err := manager(c.set).up(t.Context(), b, nil)
		require.ErrorContains(t, err, c.says)
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.True(t, b.closed)
	}
	b := &fakeBackend{}
	manager().giveBack(t.Context(), b, failure.New(failure.Exists, "lock", dir, nil))
	require.False(t, b.closed)
}

type fakeBackend struct {
	provision.Backend
	host   string
	closed bool
}

func (b *fakeBackend) Host() string                { return b.host }
func (b *fakeBackend) Close(context.Context) error { b.closed = true; return nil }
