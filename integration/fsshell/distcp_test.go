//go:build integration

package fsshell

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps/distcp"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/local"
)

// inProcess runs jobs in this process.
type inProcess struct {
	conf *conf.Config
	fs   dfs.Resolver
}

func (r inProcess) Conf() *conf.Config { return r.conf }
func (r inProcess) FS() dfs.Resolver   { return r.fs }
func (r inProcess) Stdout() io.Writer  { return io.Discard }
func (r inProcess) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	return local.Run(ctx, local.Options{FS: r.fs}, j, c)
}

// distcp copies files to, from, and within HDFS with the same result as Hadoop's shell.
func (s *sides) distcp(t *testing.T) {
	s.clean(t)
	c := conf.New()
	c.Set("hadoop.tmp.dir", t.TempDir(), "test")
	r := inProcess{c, s.ours}
	copy := func(args ...string) {
		require.NoError(t, distcp.App().Run(s.ctx, r, args), args)
	}
	copy("-pt", "file:"+filepath.Join(s.dir, ourSide, "tree"), "/"+ourSide+"/once")
	copy("-p", "-m", "2", "/"+ourSide+"/once", "/"+ourSide+"/twice")
	for _, args := range [][]string{{"-put", "-p", "$L/tree", "$D/once"}, {"-cp", "-ptopax", "$D/once", "$D/twice"},
		{"-get", "$D/once", "$L/back"}} {
		got, err := s.hadoop.Shell(s.words(strings.Join(args, " "), hadoopSide)...)
		require.NoError(t, err)
		require.Zero(t, got.Code, string(got.Err))
	}
	for _, dir := range []string{"once", "twice"} {
		hadoop, ours := s.command("-checksum $D/" + dir + "/x $D/" + dir + "/y.gz $D/" + dir + "/sub/z")
		require.Equal(t, hadoop, ours)
		hadoop, ours = s.command("-stat %n,%y,%b $D/" + dir + "/x $D/" + dir + "/y.gz $D/" + dir + "/sub/z")
		require.Equal(t, hadoop, ours)
		hadoop, ours = s.command("-find $D/" + dir)
		require.Equal(t, hadoop, ours)
	}
	copy("-update", "-delete", "/"+ourSide+"/once", "file:"+filepath.Join(s.dir, ourSide, "back"))
	hadoop, ours := s.command("-find file:$L/back")
	hadoop.out, ours.out = sorted(hadoop.out), sorted(ours.out) // Java lists a local directory in the file system's order
	require.Equal(t, hadoop, ours)
}
