package yarn

import (
	"context"
	"encoding/binary"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/mapreduce"
)

// cutsFile is the name of the file that contains the cut points. Hadoop's TotalOrderPartitioner
// compares them with a record's key to determine the record's reducer. The key starts with the
// number of the record's partition. The cut points are the numbers of all partitions but the first.
const cutsFile = "_partition.lst"

func (r *run) writeCuts(ctx context.Context, reduces int) (uri string, err error) {
	var cuts [][]byte
	for p := 1; p < reduces; p++ {
		cuts = append(cuts, binary.BigEndian.AppendUint32([]byte{0, 0, 0, 4}, uint32(p)))
	}
	uri = dfs.Qualify(r.fs, r.dir) + "/" + cutsFile
	return uri, mapreduce.WriteCutPoints(ctx, &mapreduce.Env{Conf: r.Conf, FS: r.FS}, uri, mapreduce.BytesWritable, cuts)
}
