package serve

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/howdah/howdah/apps/distcp"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/master"
)

// lead makes what looks after an MR-cluster on its master's node.
func lead(c *conf.Config, n daemon.NodeConfig, log *slog.Logger) func() daemon.Follower {
	return func() daemon.Follower {
		return master.New(master.Config{Storage: master.HDFS(c), Copy: copier(c, n.Dir), Every: n.Sample, Log: log})
	}
}

// copier makes copies as distcp does, with the maps in this process: files that are there already are left alone, so that a copy that was
// cut off goes on when it is ordered again.
func copier(c *conf.Config, dir string) func(ctx context.Context, nameNode string, x mrcluster.Copy) error {
	return func(ctx context.Context, nameNode string, x mrcluster.Copy) error {
		own := c.Clone()
		for key, value := range map[string]string{"mapreduce.framework.name": "local", "mapreduce.jobtracker.address": "local",
			"mapreduce.cluster.local.dir": filepath.Join(dir, "copies")} {
			own.Set(key, value, "agent")
		}
		if nameNode != "" {
			own.Set("fs.defaultFS", nameNode, "agent")
		}
		fs, err := schemes.Resolver(own, func(string) {})
		if err != nil {
			return err
		}
		defer fs.Close()
		r, err := runner.New(runner.Config{Conf: own, FS: fs, Stdout: io.Discard})
		if err != nil {
			return err
		}
		return distcp.App().Run(ctx, r, []string{"-update", x.From, x.To})
	}
}
