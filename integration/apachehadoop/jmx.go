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

// jmx asks a part's web server for one bean.
func jmx(web, bean string) (map[string]any, error) { return hdfs.Bean(context.Background(), web, bean) }

// nameNodeReady waits for the web server of a NameNode and its state, and then for its RPC port, the last to come.
func (c *Cluster) nameNodeReady(p *part) error {
	if _, err := jmx(p.web, "Hadoop:service=NameNode,name=NameNodeInfo"); err != nil {
		return err
	}
	return c.logged(`NameNode RPC up at`)(p)
}

// dataNodeReady is nil as soon as a DataNode serves the active NameNode.
func dataNodeReady(p *part) error { return hdfs.DataNodeReady(context.Background(), p.web) }

// logged waits until a part's own log has a line.
func (c *Cluster) logged(pattern string) func(*part) error {
	re := regexp.MustCompile(pattern)
	return func(p *part) error {
		if !re.Match(c.ownLog(p)) {
			return fmt.Errorf("its log does not say %q", pattern)
		}
		return nil
	}
}

// LiveNode is what the NameNode tells of a DataNode; see NameNodeInfo's LiveNodes.
type LiveNode struct {
	Transfer string `json:"xferaddr"`
	Rack     string `json:"location"`
	State    string `json:"adminState"` // "In Service", "Decommission In Progress", "Decommissioned"
	Blocks   int64  `json:"numBlocks"`
}

// LiveNodes asks the active NameNode for its live DataNodes, by "host:port".
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

// AwaitLive waits until the NameNode has n live DataNodes and is out of safe mode.
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

// Await polls until ok gives true; the last error is told when ctx ends, or after three minutes.
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
