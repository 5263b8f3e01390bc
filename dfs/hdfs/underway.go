package hdfs

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
)

// unfinished adds the block that is being written to m, up to the length that its writer has
// flushed. Only the DataNodes can report that length, because the NameNode does not have it.
func (m *blockMap) unfinished(ctx context.Context, b *namenode.Blocks) {
	if !b.UnderConstruction || b.LastComplete || b.Last == nil {
		return
	}
	l := *b.Last
	l.Offset, l.Block.Size = b.Size, m.fs.visible(ctx, l)
	if l.Block.Size > 0 {
		m.size += l.Block.Size
		m.add(&namenode.Blocks{Blocks: []transfer.Located{l}})
	}
}

// visibleLimit is the maximum time to wait for a DataNode to report the length of a replica.
const visibleLimit = 5 * time.Second

// visible returns the readable length of a block. It queries the block's nodes and returns 0 if
// none of them answers. On a secured cluster, DataNodes answer only writers, so readers cannot read
// an unfinished block.
func (f *FS) visible(ctx context.Context, l transfer.Located) int64 {
	if f.o.NameNode.Security != nil {
		return 0
	}
	for _, d := range l.Nodes {
		if n, err := f.ask(ctx, d, l.Block); err == nil {
			return n
		}
	}
	return 0
}

func (f *FS) ask(ctx context.Context, d transfer.DataNode, b transfer.Block) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, visibleLimit)
	defer cancel()
	host := d.IP
	if f.o.Transfer.UseHostname {
		host = d.Host
	}
	dial := f.o.Transfer.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	c, err := rpc.Connect(ctx, net.JoinHostPort(host, strconv.Itoa(d.IPCPort)), rpc.Options{
		Protocol: "org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol", User: f.nn.User(), Dial: dial,
		Connect: visibleLimit, Call: visibleLimit, Ping: time.Minute, Idle: time.Minute, MaxResponse: 1 << 20})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	body, err := c.Do(ctx, rpc.Call{Method: "getReplicaVisibleLength", Request: pb.Message(nil).Bytes(1, b.Encode())})
	if err != nil {
		return 0, err
	}
	r := pb.Read(body)
	for r.Next() {
		if r.Num == 1 {
			return r.Int(), nil
		}
	}
	return 0, r.Err
}
