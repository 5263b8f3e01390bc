package hdfs

import (
	"errors"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
)

// Options describe a name service and how to use it. The zero values are Hadoop's defaults, except that Authority and
// NameNode.Addrs and NameNode.User are needed.
type Options struct {
	Authority string // in URIs: "host:port" or a name service
	NameNode  namenode.Options
	Transfer  transfer.Options

	Umask       uint32            // fs.permissions.umask-mode
	Replication int               // dfs.replication; 0 = 3
	BlockSize   int64             // dfs.blocksize; 0 = 128 MiB
	PacketSize  int               // dfs.client-write-packet-size; 0 = 64 KiB
	Checksum    transfer.Checksum // dfs.checksum.type, dfs.bytes-per-checksum; 0 = CRC32C of 512 bytes
	Prefetch    int64             // dfs.client.read.prefetch.size; 0 = ten blocks
	Failures    int               // dfs.client.max.block.acquire.failures: how often the locations of a block are asked for again; 0 = 3
	Pipelines   int               // how many pipelines are tried for a block; 0 = 10
	Buffer      int64             // bytes of unfinished blocks that are kept in memory (howdah.hdfs.write.buffer); 0 = 64 MiB, negative = none
	// Log tells of damaged replicas, nodes that fail and the like; nil = nobody hears of them.
	Log func(text string)
}

func (o Options) withDefaults() Options {
	if o.Replication == 0 {
		o.Replication = 3
	}
	if o.BlockSize == 0 {
		o.BlockSize = 128 << 20
	}
	if o.PacketSize == 0 {
		o.PacketSize = 64 << 10
	}
	if o.Checksum == (transfer.Checksum{}) {
		o.Checksum = transfer.Checksum{Type: transfer.CRC32C, Chunk: 512}
	}
	o.PacketSize = max(1, o.PacketSize/o.Checksum.Chunk) * o.Checksum.Chunk // a packet begins with a chunk
	if o.Prefetch == 0 {
		o.Prefetch = 10 * o.BlockSize
	}
	if o.Failures == 0 {
		o.Failures = 3
	}
	if o.Pipelines == 0 {
		o.Pipelines = 10
	}
	if o.Buffer == 0 {
		o.Buffer = 64 << 20
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.NameNode.Log == nil {
		o.NameNode.Log = o.Log
	}
	return o
}

var errRoot = errors.New("the root cannot be deleted")

func millis(ms uint64) time.Time { return time.UnixMilli(int64(ms)) }
