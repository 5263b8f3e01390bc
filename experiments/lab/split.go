package lab

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/process"
)

// Split divides the pool's nodes, which must be network namespaces, into two physical clusters of
// equal size, in the order of their names. Each node sends at most mbit Mbit/s to all nodes of the
// other cluster together, and no more to any node than its own link allows. If mbit is 0, Split joins
// the clusters again.
func (p *Pool) Split(ctx context.Context, mbit int64) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	nodes := slices.SortedFunc(slices.Values(s.Nodes), func(a, b *mrcluster.NodeView) int {
		return strings.Compare(a.Name, b.Name)
	})
	half := len(nodes) / 2
	for i, n := range nodes {
		other := nodes[half:]
		if i >= half {
			other = nodes[:half]
		}
		for _, words := range p.links(mbit, other) {
			pid := process.PID(filepath.Join(p.managerDir(), "nodes", n.Name))
			enter := []string{"nsenter", "--target", strconv.Itoa(pid), "--net", "--", "tc"}
			if _, err := program(ctx, append(enter, words...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// links returns the arguments of the tc commands that limit a node's link. See Split.
func (p *Pool) links(mbit int64, other []*mrcluster.NodeView) [][]string {
	whole := p.apart.Mbit
	if mbit == 0 {
		mbit = whole
	}
	add := func(format string, args ...any) []string { return strings.Fields(fmt.Sprintf(format, args...)) }
	out := [][]string{
		add("qdisc del dev eth0 root"),
		add("qdisc add dev eth0 root handle 1: htb default 2"),
		add("class add dev eth0 parent 1: classid 1:1 htb rate %dmbit burst 256kb", whole),
		add("class add dev eth0 parent 1:1 classid 1:2 htb rate %dmbit burst 256kb", whole),
		add("class add dev eth0 parent 1:1 classid 1:3 htb rate %dmbit ceil %dmbit burst 64kb", mbit, mbit),
	}
	for i, n := range other {
		out = append(out, add("filter add dev eth0 parent 1: protocol ip prio %d u32 match ip dst %s flowid 1:3", i+1,
			host(n.Addr)))
	}
	return out
}

// host returns the host of an address.
func host(addr string) string {
	h, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return h
}
