package daemon

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
)

// starting is storage that fails with a kind of error until a given time.
type starting struct {
	dfs.FileSystem
	until time.Time
	kind  failure.Kind
}

func (s starting) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	if time.Now().Before(s.until) {
		return nil, failure.New(s.kind, "write", name, io.ErrUnexpectedEOF)
	}
	return s.FileSystem.Create(ctx, name, o)
}

func TestStorageThatStartsLater(t *testing.T) {
	for name, c := range map[string]struct {
		kind  failure.Kind
		after time.Duration // time until the storage works
		gone  time.Duration // time until the JobTracker is stopped; 0 means never
		fails bool
		took  time.Duration
	}{
		"is waited for":     {kind: failure.Unreachable, after: 15 * time.Second, took: 16 * time.Second},
		"without DataNodes": {kind: failure.IO, after: 15 * time.Second, took: 16 * time.Second},
		"not for ever":      {kind: failure.Unreachable, after: time.Hour, fails: true, took: storagePatience},
		"not by one who leaves": {kind: failure.Unreachable, after: time.Hour, gone: 3 * time.Second, fails: true,
			took: 3 * time.Second},
		"not if it is forbidden": {kind: failure.Permission, after: 15 * time.Second, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if c.gone > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.gone)
				}
				defer cancel()
				began := time.Now()
				fs := starting{mem.New(), began.Add(c.after), c.kind}
				d := &Daemon{cfg: Config{Dir: t.TempDir(), FS: onMem{fs}, SystemDir: "/system",
					Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
				p, err := d.awaitStorage(ctx)
				require.Equal(t, c.took, time.Since(began))
				if c.fails {
					require.True(t, failure.Is(err, c.kind), "%v", err)
					require.ErrorContains(t, err, "system directory")
					return
				}
				require.NoError(t, err)
				require.NotEmpty(t, p.text)
			})
		})
	}
}
