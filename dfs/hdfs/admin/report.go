package admin

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
)

// DataNode is the NameNode's view of a DataNode.
type DataNode struct {
	Host, IP string
	Port     int // data transfer port
	UUID     string
	Rack     string
	State    State
	Live     bool // the node has sent heartbeats recently

	Capacity, Used, Remaining, NonDFSUsed int64 // bytes
	CacheCapacity, CacheUsed              int64
	Xceivers                              int // number of connections that the node serves
	Blocks                                int
	LastContact, LastReport               time.Time // times of the last heartbeat and full block report; zero means never
}

// Addr returns IP:PORT, which is also a valid entry of a hosts file.
func (d DataNode) Addr() string { return net.JoinHostPort(d.IP, strconv.Itoa(d.Port)) }

// State is a DataNode's administrative state.
type State uint8

// The states, with their numbers on the wire.
const (
	InService State = iota
	Decommissioning
	Decommissioned
	EnteringMaintenance
	InMaintenance
)

// String returns the state as Hadoop prints it.
func (s State) String() string {
	names := []string{"Normal", "Decommission in progress", "Decommissioned", "Entering Maintenance", "In Maintenance"}
	if int(s) < len(names) {
		return names[s]
	}
	return "State " + strconv.Itoa(int(s))
}

// The kinds of report, with their numbers on the wire.
const (
	liveNodes = 2
	deadNodes = 3
)

// Report returns all DataNodes, live ones first.
func (c *Client) Report(ctx context.Context) ([]DataNode, error) {
	var all []DataNode
	if len(c.nn.Addrs()) > 1 {
		// The standby of a pair would also answer getDatanodeReport, with its own view of the nodes. But
		// it rejects Stat, and the client then switches to the active NameNode.
		if _, _, err := c.nn.Stat(ctx, "/"); err != nil {
			return nil, explain("report on", "the DataNodes", err)
		}
	}
	for _, kind := range []int64{liveNodes, deadNodes} {
		body, err := c.nn.Raw(ctx, "getDatanodeReport", pb.Message(nil).Int(1, kind))
		if err != nil {
			return nil, explain("report on", "the DataNodes", err)
		}
		nodes, err := decodeReport(body)
		if err != nil {
			return nil, explain("report on", "the DataNodes", err)
		}
		for _, d := range nodes {
			d.Live = kind == liveNodes
			all = append(all, d)
		}
	}
	return all, nil
}

// decodeReport decodes the DatanodeInfoProtos in field 1.
func decodeReport(m []byte) (all []DataNode, err error) {
	r := pb.Read(m)
	for r.Next() {
		if r.Num != 1 {
			continue
		}
		d, err := decodeNode(r.Bytes())
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, r.Err
}

func decodeNode(m []byte) (d DataNode, err error) {
	r := pb.Read(m)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			err = d.decodeID(r.Bytes())
		case 2:
			d.Capacity = r.Int()
		case 3:
			d.Used = r.Int()
		case 4:
			d.Remaining = r.Int()
		case 6:
			d.LastContact = moment(r.Int())
		case 7:
			d.Xceivers = int(r.Int32())
		case 8:
			d.Rack = r.String()
		case 9:
			d.NonDFSUsed = r.Int()
		case 10:
			d.State = State(r.Uint())
		case 11:
			d.CacheCapacity = r.Int()
		case 12:
			d.CacheUsed = r.Int()
		case 15:
			d.LastReport = moment(r.Int())
		case 17:
			d.Blocks = int(r.Int())
		}
	}
	if err == nil {
		err = r.Err
	}
	return d, err
}

func (d *DataNode) decodeID(m []byte) error {
	var id transfer.DataNode
	err := id.DecodeID(m)
	d.IP, d.Host, d.UUID, d.Port = id.IP, id.Host, id.UUID, id.Port
	return err
}

// moment converts milliseconds since 1970 to a time. It converts 0 to the zero time, which means
// never.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
