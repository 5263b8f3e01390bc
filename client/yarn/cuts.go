package yarn

import (
	"context"
	"encoding/binary"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/mapreduce"
)

// cutsFile is the name of the file with the cut points. From these, Hadoop's TotalOrderPartitioner
// determines the reducer of each record. The key of a record starts with the number of its
// partition, and the cut points are the numbers of all partitions but the first.
const cutsFile = "_partition.lst"

func (r *run) writeCuts(ctx context.Context, reduces int) (uri string, err error) {
	var cuts [][]byte
	for p := 1; p < reduces; p++ {
		cuts = append(cuts, binary.BigEndian.AppendUint32([]byte{0, 0, 0, 4}, uint32(p)))
	}
	uri = dfs.Qualify(r.fs, r.dir) + "/" + cutsFile
	return uri, mapreduce.WriteCutPoints(ctx, &mapreduce.Env{Conf: r.Conf, FS: r.FS}, uri, mapreduce.BytesWritable, cuts)
}
