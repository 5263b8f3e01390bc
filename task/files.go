package task

import (
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
)

// addFiles adds the statistics of the attempt's file systems to its counters. For local files, it
// counts only bytes, as Hadoop does.
func addFiles(c *job.Counters, r *dfs.CountingResolver) {
	local := r.Ops("file")
	c.Builtin[job.FileBytesRead] += local.BytesRead.Load()
	c.Builtin[job.FileBytesWritten] += local.BytesWritten.Load()
	hdfs := r.Ops("hdfs")
	c.Builtin[job.HDFSBytesRead] += hdfs.BytesRead.Load()
	c.Builtin[job.HDFSBytesWritten] += hdfs.BytesWritten.Load()
	c.Builtin[job.HDFSReadOps] += hdfs.ReadOps.Load()
	c.Builtin[job.HDFSLargeReadOps] += hdfs.LargeReadOps.Load()
	c.Builtin[job.HDFSWriteOps] += hdfs.WriteOps.Load()
}
