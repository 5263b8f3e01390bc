package mrcluster

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// Window is the time over which discrimination is taken (equation 2).
type Window uint8

// The windows.
const (
	LastInterval Window = iota // the last T, so that what was made good is forgotten
	SinceRequest               // since the request for the deployment: the overall discrimination
)

// Preemption is how a shrinking MR-cluster gives up a node (FAW section 4.2.2).
type Preemption uint8

// The ways to shrink.
const (
	// ByKind is IP for transient nodes and DP for transient-core nodes, as the paper has it.
	ByKind Preemption = iota
	// Delayed is DP for both: a node leaves when its tasks have ended, its map output is not needed and its data is elsewhere.
	Delayed
)

// Config of a manager. Times are in ms.
type Config struct {
	// Interval is T: weights and shares are worked out anew that often.
	Interval int64
	// Threshold is tau in s^2: shares change only while the mean of D^2 exceeds it. 0 = whenever they differ.
	Threshold float64
	Window    Window
	// IdleAfter is how long an MR-cluster may have nothing to do before it is saved and removed. 0 = Interval.
	IdleAfter int64
	Grow      Kind // of MR-clusters that do not say
	Shrink    Preemption
	// DrainTimeout ends a drain: a transient node then leaves at once, one that holds data stays.
	DrainTimeout int64
	// StartTimeout is how long a node may take to come up before another is tried; StartTimeoutHDFS is the same for MR-clusters
	// with an HDFS of their own, whose daemons start one after the other, each in Java.
	StartTimeout, StartTimeoutHDFS int64
	// Expiry is how long an agent may be silent before its node counts as lost; MasterExpiry is the same for a node that an
	// MR-cluster cannot live without, since it is deployed anew then. A lost node that nobody waits for is forgotten after that time too.
	Expiry, MasterExpiry int64
	// Retry is the time between attempts to load, to save, or to use a node that failed.
	Retry int64
	// Attempts is how often a deployment (and its loading) is tried.
	Attempts int
	// MaxClusters and MaxNodes limit what is kept in memory.
	MaxClusters, MaxNodes int
}

// DefaultConfig has the paper's values where it has any: T = 60 s (section 7.1), tau = 10 (section 5.3).
func DefaultConfig() Config {
	return Config{Interval: 60_000, Threshold: 10, Grow: TransientCore, DrainTimeout: 600_000, StartTimeout: 120_000, StartTimeoutHDFS: 600_000, Expiry: 30_000, MasterExpiry: 600_000,
		Retry: 10_000, Attempts: 3, MaxClusters: 1000, MaxNodes: 10_000}
}

// Validate says what cannot be used.
func (c *Config) Validate() error {
	bad := func(on, why string) error {
		return failure.New(failure.Config, "start the manager", on, errors.New(why))
	}
	for _, p := range []struct {
		name string
		ms   int64
	}{{"interval", c.Interval}, {"drain timeout", c.DrainTimeout}, {"start timeout", c.StartTimeout}, {"start timeout with HDFS", c.StartTimeoutHDFS}, {"expiry", c.Expiry}, {"expiry of masters", c.MasterExpiry}, {"retry", c.Retry}} {
		if p.ms < 1 {
			return bad(p.name, fmt.Sprintf("%d ms: must be positive", p.ms))
		}
	}
	switch {
	case !(c.Threshold >= 0):
		return bad("threshold", "is negative or no number")
	case c.IdleAfter < 0:
		return bad("idle time", "is negative")
	case c.Grow != Transient && c.Grow != TransientCore:
		return bad("grow", "want transient or transient-core")
	case c.Attempts < 1 || c.MaxClusters < 1 || c.MaxNodes < 1:
		return bad("limits", "attempts, clusters and nodes are at least 1")
	}
	return nil
}

// NeverMoves tells that shares cannot change whatever happens: nobody is discriminated by more than a whole pool for a whole interval, whose
// square is not above the threshold. A request's window grows, so there that ends.
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
