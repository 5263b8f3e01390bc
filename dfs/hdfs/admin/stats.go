package admin

import (
	"context"

	"github.com/howdah/howdah/internal/pb"
)

// Stats contains the totals of an HDFS cluster.
type Stats struct {
	Capacity, Used, Remaining int64 // bytes
	Replicated, Striped       BlockStats
}

// BlockStats counts blocks, or block groups of erasure-coded files.
type BlockStats struct {
	LowRedundancy   int64
	Corrupt         int64
	Missing         int64
	MissingReplOne  int64 // missing blocks of files with a replication of 1
	PendingDeletion int64
	HighestPriority int64 // low-redundancy blocks that are repaired first
}

// Stats returns the totals of the HDFS cluster.
func (c *Client) Stats(ctx context.Context) (s Stats, err error) {
	numbers := func(method string, fields map[int]*int64) {
		if err != nil {
			return
		}
		var body []byte
		if body, err = c.nn.Raw(ctx, method, nil); err != nil {
			return
		}
		r := pb.Read(body)
		for r.Next() {
			if f := fields[r.Num]; f != nil {
				*f = r.Int()
			}
		}
		err = r.Err
	}
	numbers("getFsStats", map[int]*int64{1: &s.Capacity, 2: &s.Used, 3: &s.Remaining})
	b := &s.Replicated
	numbers("getFsReplicatedBlockStats", map[int]*int64{1: &b.LowRedundancy, 2: &b.Corrupt, 3: &b.Missing,
		4: &b.MissingReplOne, 6: &b.PendingDeletion, 7: &b.HighestPriority})
	b = &s.Striped
	numbers("getFsECBlockGroupStats", map[int]*int64{1: &b.LowRedundancy, 2: &b.Corrupt, 3: &b.Missing,
		5: &b.PendingDeletion, 6: &b.HighestPriority})
	return s, explain("measure", "HDFS", err)
}
