package serve

import (
	"log/slog"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/master"
)

// masterConf reads how a master looks after its MR-cluster.
func masterConf(c *conf.Config, log *slog.Logger) (master.Config, error) {
	r := conf.Reader{Conf: c}
	ms := func(key string, def, min, max int64) time.Duration {
		return time.Duration(r.Int(key, def, min, max)) * time.Millisecond
	}
	m := master.Config{
		Every:       ms("howdah.mrcluster.sample.ms", 1000, 10, 600_000),
		OutputsWait: ms("howdah.mrcluster.outputs.wait.ms", 60_000, 1, 86_400_000),
		Log:         log,
	}
	return m, r.Err
}

// lead makes what looks after an MR-cluster on its master's node.
func lead(c *conf.Config, n daemon.NodeConfig, follow master.Config) func() daemon.Follower {
	follow.Storage, follow.Copy = master.HDFS(c), copier{conf: c, dir: n.Dir}.copy
	return func() daemon.Follower { return master.New(follow) }
}
