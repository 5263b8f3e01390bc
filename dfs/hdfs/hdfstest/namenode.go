package hdfstest

import (
	"bytes"
	"net"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
)

// NameNode keeps files in memory. It has no directories, so clients can write to any path.
type NameNode struct {
	conns
	cluster *Cluster

	// Before runs before each call. It can return an exception, or close the connection before or
	// after the call runs.
	Before func(c Call) (err *rpc.RemoteError, hangUp, hangUpAfter bool)

	mu       sync.Mutex
	files    map[string]*inode
	nextID   uint64
	nextGen  uint64
	calls    []Call
	reported []transfer.Located
}

type inode struct {
	id     uint64
	block  int64 // preferred size
	blocks []*block
	open   bool

	encrypted, striped bool
}

type block struct {
	transfer.Block
	nodes []*DataNode
}

func (n *NameNode) dial() (net.Conn, error) {
	return n.pipe(func(nc net.Conn) { ServeRPC(nc, n.handle) })
}

// Calls returns all calls so far, including retries.
func (n *NameNode) Calls() []Call {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Call{}, n.calls...)
}

// Count returns the number of calls to a method.
func (n *NameNode) Count(method string) int {
	k := 0
	for _, c := range n.Calls() {
		if c.Method == method {
			k++
		}
	}
	return k
}

// Reported returns the replicas that clients reported as damaged.
func (n *NameNode) Reported() []transfer.Located {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]transfer.Located{}, n.reported...)
}

// Exists reports whether a file exists.
func (n *NameNode) Exists(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[name] != nil
}

// Encode sets whether a file is in an encryption zone and whether it is erasure-coded.
func (n *NameNode) Encode(name string, encrypted, striped bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[name].encrypted, n.files[name].striped = encrypted, striped
}

func (n *NameNode) handle(c Call) ([]byte, *rpc.RemoteError, bool) {
	n.mu.Lock()
	n.calls = append(n.calls, c)
	n.mu.Unlock()
	var after bool
	if n.Before != nil {
		err, hangUp, hangUpAfter := n.Before(c)
		if err != nil || hangUp {
			return nil, err, hangUp
		}
		after = hangUpAfter
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	body, err := n.execute(c.Method, fields(c.Request))
	return body, err, after
}

// request holds a message's fields by number.
type request map[int]pb.Reader

func fields(m []byte) request {
	f := request{}
	for r := pb.Read(m); r.Next(); {
		f[r.Num] = r
	}
	return f
}

func (f request) text(num int) string { r := f[num]; return r.String() }
func (f request) int(num int) int64   { r := f[num]; return r.Int() }
func (f request) flag(num int) bool   { r := f[num]; return r.Bool() }
func (f request) bytes(num int) []byte {
	r := f[num]
	return r.Bytes()
}

func exception(class, message string) *rpc.RemoteError {
	return &rpc.RemoteError{Class: class, Message: message}
}

func notFound(name string) *rpc.RemoteError {
	return exception("java.io.FileNotFoundException", "File does not exist: "+name)
}

func truth(v bool) []byte { return pb.Message(nil).Bool(1, v) }

// byPath returns the file that name identifies, and its path. name is the path or has the form
// "/.reserved/.inodes/N".
func (n *NameNode) byPath(name string) (string, *inode) {
	if id, ok := strings.CutPrefix(name, "/.reserved/.inodes/"); ok {
		for p, i := range n.files {
			if strconv.FormatUint(i.id, 10) == id {
				return p, i
			}
		}
		return "", nil
	}
	return name, n.files[name]
}

func (n *NameNode) execute(method string, f request) ([]byte, *rpc.RemoteError) {
	src, i := n.byPath(f.text(1))
	switch method {
	case "renewLease", "fsync":
		return nil, nil
	case "mkdirs":
		return truth(true), nil
	case "create":
		if i != nil {
			return nil, exception("org.apache.hadoop.fs.FileAlreadyExistsException", src+" already exists")
		}
		n.nextID++
		i = &inode{id: n.nextID, block: f.int(7), open: true}
		n.files[src] = i
		return pb.Message(nil).Bytes(1, i.status()), nil
	case "getFileInfo":
		if i == nil {
			return nil, nil
		}
		return pb.Message(nil).Bytes(1, i.status()), nil
	case "append":
		if i == nil {
			return nil, notFound(src)
		}
		i.open = true
		return pb.Message(nil).Bytes(2, i.status()), nil
	case "delete":
		delete(n.files, src)
		return truth(i != nil), nil
	case "rename2":
		return n.rename(src, f.text(2), f.flag(3))
	case "getBlockLocations":
		if i == nil {
			return nil, notFound(src)
		}
		return pb.Message(nil).Bytes(1, i.locations(f.int(2), f.int(3))), nil
	case "reportBadBlocks":
		l, _ := transfer.DecodeLocated(f.bytes(1))
		n.reported = append(n.reported, l)
		return nil, nil
	case "updateBlockForPipeline":
		b, _ := transfer.DecodeBlock(f.bytes(1))
		n.nextGen++
		b.Generation = n.nextGen
		return pb.Message(nil).Bytes(1, transfer.Located{Block: b}.Encode()), nil
	case "updatePipeline":
		return n.updatePipeline(f)
	case "addBlock", "complete":
		if i == nil || !i.open {
			return nil, exception("java.io.FileNotFoundException",
				"File does not exist: "+src+" (inode 1) is not under construction")
		}
		if b := f.bytes(3); b != nil {
			last, _ := transfer.DecodeBlock(b)
			i.commit(last)
		}
		if method == "complete" {
			i.open = false
			return truth(true), nil
		}
		return n.addBlock(i, exclude(f))
	case "abandonBlock":
		b, _ := transfer.DecodeBlock(f.bytes(1))
		if _, i := n.byPath(f.text(2)); i != nil && len(i.blocks) > 0 && i.blocks[len(i.blocks)-1].ID == b.ID {
			i.blocks = i.blocks[:len(i.blocks)-1]
		}
		return nil, nil
	}
	return nil, exception("org.apache.hadoop.ipc.RpcNoSuchMethodException", "Unknown method "+method)
}

func (n *NameNode) rename(src, dst string, overwrite bool) ([]byte, *rpc.RemoteError) {
	switch i := n.files[src]; {
	case i == nil:
		return nil, notFound(src)
	case n.files[dst] != nil && !overwrite:
		return nil, exception("org.apache.hadoop.fs.FileAlreadyExistsException", "rename destination "+dst+" already exists")
	default:
		delete(n.files, src)
		n.files[dst] = i
		return nil, nil
	}
}

func (n *NameNode) updatePipeline(f request) ([]byte, *rpc.RemoteError) {
	now, _ := transfer.DecodeBlock(f.bytes(3))
	for _, i := range n.files {
		for _, b := range i.blocks {
			if b.ID == now.ID {
				b.Block = now
			}
		}
	}
	return nil, nil
}

// exclude returns the UUID of the last node that a request excludes, or "" if it excludes none.
func exclude(f request) string {
	if b := f.bytes(4); b != nil {
		d, _ := transfer.DecodeDataNode(b)
		return d.UUID
	}
	return ""
}

func (n *NameNode) addBlock(i *inode, avoid string) ([]byte, *rpc.RemoteError) {
	n.nextID++
	n.nextGen++
	b := &block{Block: transfer.Block{Pool: "pool", ID: n.nextID, Generation: n.nextGen}}
	for _, d := range n.cluster.DataNodes {
		if d.Node.UUID != avoid {
			b.nodes = append(b.nodes, d)
		}
	}
	if len(b.nodes) == 0 {
		return nil, exception("java.io.IOException", "File could only be written to 0 of the 1 minReplication nodes.")
	}
	i.blocks = append(i.blocks, b)
	return pb.Message(nil).Bytes(1, b.located(i.size()).Encode()), nil
}

func (i *inode) size() (n int64) {
	for _, b := range i.blocks {
		n += b.Size
	}
	return n
}

func (i *inode) commit(last transfer.Block) {
	if k := len(i.blocks); k > 0 && i.blocks[k-1].ID == last.ID {
		i.blocks[k-1].Size = last.Size
	}
}

func (i *inode) status() []byte {
	const isFile = 2
	m := pb.Message(nil).Uint(1, isFile).Bytes(2, nil).Int(3, i.size()).Bytes(4, pb.Message(nil).Uint(1, 0o644)).
		String(5, "me").String(6, "us").Int(7, 1).Int(8, 1).Int(10, 1).Int(11, i.block).Uint(13, i.id)
	if i.encrypted {
		m = m.Bytes(15, nil)
	}
	if i.striped {
		m = m.Bytes(17, nil)
	}
	return m
}

func (b *block) located(off int64) transfer.Located {
	l := transfer.Located{Block: b.Block, Offset: off}
	for _, d := range b.nodes {
		l.Nodes = append(l.Nodes, d.Node)
	}
	return l
}

func (i *inode) locations(off, n int64) []byte {
	m := pb.Message(nil).Int(1, i.size())
	at := int64(0)
	for _, b := range i.blocks {
		if at+b.Size > off && at-off < n {
			m = m.Bytes(2, b.located(at).Encode())
		}
		at += b.Size
	}
	return m.Bool(3, i.open).Bool(5, true)
}

// AddFile adds a finished file with one block for each part. Every DataNode has a replica of each
// block.
func (c *Cluster) AddFile(name string, parts ...[]byte) {
	n := c.NameNode
	n.mu.Lock()
	defer n.mu.Unlock()
	n.nextID++
	i := &inode{id: n.nextID, block: 128 << 20}
	n.files[path.Clean(name)] = i
	for _, p := range parts {
		n.nextID++
		n.nextGen++
		b := &block{Block: transfer.Block{Pool: "pool", ID: n.nextID, Generation: n.nextGen, Size: int64(len(p))},
			nodes: c.DataNodes}
		for _, d := range c.DataNodes {
			d.replicas[b.ID] = &replica{data: bytes.Clone(p)}
		}
		i.blocks = append(i.blocks, b)
	}
}
