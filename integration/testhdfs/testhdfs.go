// Package testhdfs helps tests verify that an HDFS has lost no data. It reads the contents of
// files, the locations of their blocks, and the NameNode's fsck results.
package testhdfs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/internal/passwd"
)

// HDFS is the test's connection to a running HDFS. Open creates it.
type HDFS struct {
	FS    *hdfs.FS
	Admin *admin.Client
	web   string
}

// Open opens the HDFS with the given URI, hdfs://HOST:PORT. web is the host:port of the NameNode's web
// server. The connection is closed when the test ends.
func Open(t testing.TB, uri, web string) *HDFS {
	at := strings.TrimPrefix(uri, "hdfs://")
	fs := hdfs.New(hdfs.Options{Authority: at, NameNode: namenode.Options{Addrs: []string{at}, User: passwd.Me()}})
	t.Cleanup(func() { fs.Close() })
	return &HDFS{FS: fs, Admin: admin.New(fs.NameNode()), web: web}
}

// readers is the number of files that Digest reads at the same time.
const readers = 8

// Digest reads and verifies all files in dir, but not in its subdirectories. It returns a text that
// contains a line with the name and the SHA-256 of each file, and an empty line for each
// subdirectory.
func (h *HDFS) Digest(ctx context.Context, dir string) (string, error) {
	all, err := h.FS.List(ctx, dir)
	if err != nil {
		return "", err
	}
	sums := make([]string, len(all))
	var g errgroup.Group
	g.SetLimit(readers)
	for i, f := range all {
		if !f.Dir {
			g.Go(func() (err error) { sums[i], err = h.sum(ctx, f); return err })
		}
	}
	err = g.Wait()
	return strings.Join(sums, "\n"), err
}

func (h *HDFS) sum(ctx context.Context, f dfs.Info) (string, error) {
	r, err := h.FS.Open(ctx, f.Path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	if err == nil && n != f.Size {
		err = fmt.Errorf("read %d bytes of %s, want %d", n, f.Path, f.Size)
	}
	return fmt.Sprintf("%s %x", f.Path, sum.Sum(nil)), err
}

// MustDigest is like Digest, but fails the test on an error.
func (h *HDFS) MustDigest(t testing.TB, dir string) string {
	t.Helper()
	sum, err := h.Digest(t.Context(), dir)
	require.NoError(t, err)
	return sum
}

// Fsck runs the NameNode's fsck on all files. report is fsck's report or the text of an error.
// healthy reports whether the NameNode considers the files healthy.
func (h *HDFS) Fsck(ctx context.Context) (healthy bool, report string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+h.web+"/fsck?ugi="+passwd.Me()+"&path="+url.QueryEscape("/"), nil)
	if err != nil {
		return false, err.Error()
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false, err.Error()
	}
	defer answer.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	report = string(b)
	return strings.Contains(report, "is HEALTHY") && !strings.Contains(report, "CORRUPT"), report
}

// Blocks returns the number of block replicas on each DataNode that is live and in service, by node
// name. It also returns their total.
func (h *HDFS) Blocks(ctx context.Context) (on map[string]int, all int, err error) {
	report, err := h.Admin.Report(ctx)
	on = map[string]int{}
	for _, d := range report {
		if d.Live && d.State == admin.InService {
			on[d.Host] += d.Blocks
			all += d.Blocks
		}
	}
	return on, all, err
}
