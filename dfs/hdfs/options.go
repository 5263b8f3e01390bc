package hdfs

import (
	"cmp"
	"errors"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
)

// Options describes a name service and how to use it. Authority, NameNode.Addrs, and NameNode.User
// are required. Other zero values mean defaults, except that a zero Umask masks nothing.
type Options struct {
	Authority string // authority of URIs: "host:port" or a name service
	NameNode  namenode.Options
	Transfer  transfer.Options

	Umask       uint32            // fs.permissions.umask-mode
	Replication int               // dfs.replication; 0 means 3
	BlockSize   int64             // dfs.blocksize; 0 means 128 MiB
	PacketSize  int               // dfs.client-write-packet-size; 0 means 64 KiB
	Checksum    transfer.Checksum // dfs.checksum.type, dfs.bytes-per-checksum; 0 means CRC32C of 512 bytes
	Prefetch    int64             // dfs.client.read.prefetch.size; 0 means ten blocks
	// Failures is the maximum number of times to fetch a block's locations again
	// (dfs.client.max.block.acquire.failures). 0 means 3.
	Failures int
	// Pipelines is the maximum number of failed pipelines for a block. 0 means 10.
	Pipelines int
	// Buffer is the maximum memory for unfinished blocks, in bytes (howdah.hdfs.write.buffer). 0
	// means 64 MiB, and a negative value means none.
	Buffer int64
	// Log receives messages about events such as damaged replicas and failing nodes. It may be nil.
	Log func(text string)
}

func (o Options) withDefaults() Options {
	o.Replication = cmp.Or(o.Replication, 3)
	o.BlockSize = cmp.Or(o.BlockSize, 128<<20)
	o.PacketSize = cmp.Or(o.PacketSize, 64<<10)
	if o.Checksum == (transfer.Checksum{}) {
		o.Checksum = transfer.Checksum{Type: transfer.CRC32C, Chunk: 512}
	}
	o.PacketSize = max(1, o.PacketSize/o.Checksum.Chunk) * o.Checksum.Chunk // a packet holds whole chunks
	o.Prefetch = cmp.Or(o.Prefetch, 10*o.BlockSize)
	o.Failures = cmp.Or(o.Failures, 3)
	o.Pipelines = cmp.Or(o.Pipelines, 10)
	o.Buffer = cmp.Or(o.Buffer, 64<<20)
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
