package hdfs

import (
	"context"
	"encoding/json"
	"fmt"
)

// Decommissioning returns how many blocks a NameNode still has to copy from each decommissioning
// DataNode. web is the host:port of the NameNode's web server. The keys are the DataNodes'
// addresses for block transfer.
func Decommissioning(ctx context.Context, web string) (map[string]int, error) {
	const attribute = "DecomNodes"
	b, err := Bean(ctx, web, "Hadoop:service=NameNode,name=NameNodeInfo")
	if err != nil {
		return nil, err
	}
	text, _ := b[attribute].(string)
	var nodes map[string]struct {
		Addr  string `json:"xferaddr"`
		Under int    `json:"underReplicatedBlocks"`
		Only  int    `json:"decommissionOnlyReplicas"`
	}
	if err := json.Unmarshal([]byte(text), &nodes); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", attribute, web, err)
	}
	out := map[string]int{}
	for _, n := range nodes {
		out[n.Addr] = max(n.Under, n.Only)
	}
	return out, nil
}
