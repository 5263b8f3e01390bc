package mrcluster

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Window is the time span over which the manager measures discrimination (equation 2).
type Window uint8

// The measurement windows.
const (
	LastInterval Window = iota // the last interval T, so that a corrected imbalance no longer counts
	SinceRequest               // since the request for the deployment (overall discrimination)
)

// Preemption is the method by which a shrinking MR-cluster releases a node (FAW section 4.2.2).
type Preemption uint8

// The preemption methods.
const (
	// ByKind means delayed preemption (DP) for transient-core nodes that may hold data, and instant
	// preemption (IP) for all others, as in the paper.
	ByKind Preemption = iota
	// Delayed means delayed preemption (DP) for all nodes that are up. A node leaves after its
	// tasks have ended, its map output is no longer needed, and its data has moved to other nodes.
	Delayed
)

// Config is the configuration of a manager. Times are in milliseconds.
type Config struct {
	// Interval is the interval T between two computations of weights and shares.
	Interval int64
	// Threshold is tau in s^2. Weights change shares only while the mean of D^2 exceeds it. With 0,
	// shares change whenever the computation yields different values.
	Threshold float64
	Window    Window
	// IdleAfter is how long an MR-cluster can be idle before the manager saves its output and
	// releases its nodes. 0 means Interval.
	IdleAfter int64
	Grow      Kind // default for requests without a kind
	Shrink    Preemption
	// DrainTimeout limits a drain. After it expires, a node that may hold the only copy of some
	// data stays, and any other node leaves immediately.
	DrainTimeout int64
	// StartTimeout is how long a node can take to start before the manager tries another node.
	// StartTimeoutHDFS applies to MR-clusters with their own HDFS, whose Java daemons start one
	// after another.
	StartTimeout, StartTimeoutHDFS int64
	// Expiry is how long an agent can be silent before its node counts as lost. MasterExpiry
	// applies to a master's node instead, because the loss of that node causes a new deployment.
	// MasterExpiry is also the time after which the manager forgets a lost node, unless an
	// MR-cluster waits for the node.
	Expiry, MasterExpiry int64
	// Retry is the base of the delay before the manager retries a failed save or reuses a node that
	// failed to start. The delay doubles with each additional failure, up to Retry*64.
	Retry int64
	// Attempts is the maximum number of attempts to deploy and load an MR-cluster. An attempt also
	// fails if that many node starts fail before the core is up.
	Attempts int
	// MaxClusters and MaxNodes limit the numbers of MR-clusters and nodes in memory.
	MaxClusters, MaxNodes int
}

// DefaultConfig returns the default configuration. It uses the paper's values where there are any:
// T = 60 s (section 7.1), tau = 10 (section 5.3).
func DefaultConfig() Config {
	return Config{
		Interval: conf.MRClusterIntervalMS.BuiltIn(), Threshold: conf.MRClusterThreshold.BuiltIn(), Grow: TransientCore,
		DrainTimeout: conf.MRClusterDrainTimeoutMS.BuiltIn(),
		StartTimeout: conf.MRClusterStartTimeoutMS.BuiltIn(), StartTimeoutHDFS: conf.MRClusterStartTimeoutHDFSMS.BuiltIn(),
		Expiry: conf.MRClusterExpiryMS.BuiltIn(), MasterExpiry: conf.MRClusterExpiryMasterMS.BuiltIn(),
		Retry: conf.MRClusterRetryMS.BuiltIn(), Attempts: int(conf.MRClusterAttempts.BuiltIn()),
		MaxClusters: int(conf.MRClusterClustersMaximum.BuiltIn()), MaxNodes: int(conf.MRClusterNodesMaximum.BuiltIn()),
	}
}

// Validate returns an error if a value is invalid.
func (c *Config) Validate() error {
	bad := func(on, why string) error {
		return failure.New(failure.Config, "start the manager", on, errors.New(why))
	}
	for _, p := range []struct {
		name string
		ms   int64
	}{{"interval", c.Interval}, {"drain timeout", c.DrainTimeout}, {"start timeout", c.StartTimeout},
		{"start timeout with HDFS", c.StartTimeoutHDFS}, {"expiry", c.Expiry}, {"expiry of masters", c.MasterExpiry},
		{"retry", c.Retry}} {
		if p.ms < 1 {
			return bad(p.name, fmt.Sprintf("%d ms: must be positive", p.ms))
		}
	}
	switch {
	case !(c.Threshold >= 0):
		return bad("threshold", "must be 0 or more")
	case c.IdleAfter < 0:
		return bad("idle time", "must be 0 or more")
	case c.Grow != Transient && c.Grow != TransientCore:
		return bad("grow", "want transient or transient-core")
	case c.Attempts < 1 || c.MaxClusters < 1 || c.MaxNodes < 1:
		return bad("limits", "want at least 1 attempt, cluster and node")
	}
	return nil
}

// NeverMoves reports whether weights can never change shares. During an interval, the absolute
// value of D_i is at most the length of the interval in s. For LastInterval, NeverMoves therefore
// returns true if the square of that length does not exceed Threshold. For SinceRequest, whose
// window grows, it returns false.
func (c *Config) NeverMoves() bool {
	seconds := float64(c.Interval) / 1000
	return c.Window == LastInterval && seconds*seconds <= c.Threshold
}

func (c *Config) startTimeout(x *cluster) int64 {
	if x.spec.HDFS {
		return c.StartTimeoutHDFS
	}
	return c.StartTimeout
}

func (c *Config) idleAfter() int64 {
	if c.IdleAfter == 0 {
		return c.Interval
	}
	return c.IdleAfter
}
