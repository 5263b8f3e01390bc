package serve

import (
	"log/slog"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/master"
)

// masterConf reads the configuration of an MR-cluster's master.
func masterConf(c *conf.Config, log *slog.Logger) (master.Config, error) {
	r := conf.Reader{Conf: c}
	m := master.Config{
		Conf:        auth.OnlySecret(c, "agent"), // the master drains TaskTrackers, which a node is not allowed to do
		Every:       time.Duration(conf.MRClusterSampleMS.From(&r)) * time.Millisecond,
		OutputsWait: time.Duration(conf.MRClusterOutputsWaitMS.From(&r)) * time.Millisecond,
		Log:         log,
	}
	return m, r.Err
}

// lead returns a function that creates a Master, which the agent on an MR-cluster's master node runs.
func lead(c *conf.Config, n daemon.NodeConfig, follow master.Config) func() daemon.Follower {
	follow.Storage, follow.Copy = master.HDFS(c), copier{conf: c, dir: n.Dir}.copy
	return func() daemon.Follower { return master.New(follow) }
}
