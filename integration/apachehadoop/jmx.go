package apachehadoop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
)

// jmx reads the named bean from a daemon's web server.
func jmx(web, bean string) (map[string]any, error) { return hdfs.Bean(context.Background(), web, bean) }

// nameNodeReady returns nil once the NameNode's RPC port, which opens last, is open and its web
// server reports its state.
func (c *Cluster) nameNodeReady(p *part) error {
	if _, err := jmx(p.web, "Hadoop:service=NameNode,name=NameNodeInfo"); err != nil {
		return err
	}
	return c.logged(`NameNode RPC up at`)(p)
}

// dataNodeReady returns nil once a DataNode has registered with the active NameNode.
func dataNodeReady(p *part) error { return hdfs.DataNodeReady(context.Background(), p.web) }

// logged returns a function that returns nil once the log of a daemon's current process matches
// pattern.
func (c *Cluster) logged(pattern string) func(*part) error {
	re := regexp.MustCompile(pattern)
	return func(p *part) error {
		if !re.Match(c.ownLog(p)) {
			return fmt.Errorf("its log does not say %q", pattern)
		}
		return nil
	}
}

// LiveNode is what the NameNode reports about a live DataNode (NameNodeInfo's LiveNodes).
type LiveNode struct {
	Transfer string `json:"xferaddr"`
	Rack     string `json:"location"`
	State    string `json:"adminState"` // "In Service", "Decommission In Progress", "Decommissioned"
	Blocks   int64  `json:"numBlocks"`
}

// LiveNodes returns the DataNodes that the active NameNode considers live. The keys have the form
// "host:port".
func (c *Cluster) LiveNodes() (map[string]LiveNode, error) {
	b, err := jmx(c.Web(c.active), "Hadoop:service=NameNode,name=NameNodeInfo")
	if err != nil {
		return nil, failure.New(failure.Unreachable, "ask", c.active, err)
	}
	text, _ := b["LiveNodes"].(string)
	nodes := map[string]LiveNode{}
	if err := json.Unmarshal([]byte(text), &nodes); err != nil {
		return nil, failure.New(failure.Corrupt, "read the live nodes of", c.active, err)
	}
	return nodes, nil
}

// AwaitLive waits until the active NameNode has n live DataNodes and has left safe mode.
func (c *Cluster) AwaitLive(ctx context.Context, n int) error {
	return c.Await(ctx, fmt.Sprintf("%d live DataNodes", n), func() (bool, error) {
		nodes, err := c.LiveNodes()
		if err != nil || len(nodes) != n {
			return false, err
		}
		b, err := jmx(c.Web(c.active), "Hadoop:service=NameNode,name=NameNodeInfo")
		return err == nil && b["Safemode"] == "", err
	})
}

// Await polls until ok returns true. An error from ok does not end the polling. When ctx is done or
// three minutes have passed, Await returns an error of kind Timeout with the last error from ok.
func (c *Cluster) Await(ctx context.Context, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		done, err := ok()
		if done {
			return nil
		}
		if lifecycle.Sleep(ctx, 200*time.Millisecond) != nil {
			return failure.New(failure.Timeout, "wait for", what, errors.Join(ctx.Err(), err))
		}
	}
}
