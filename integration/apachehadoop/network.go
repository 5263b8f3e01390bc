package apachehadoop

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// network is a bridge on this machine with one namespace per DataNode behind it. The NameNode and the tests stay outside.
type network struct {
	name  string // of the bridge, and first part of the names of namespaces
	ip    string // of the bridge: where the NameNode listens
	nodes []*node
}

// node is one namespace.
type node struct {
	name, ip, host string
}

// NamespacesAvailable gives nil if this machine can give DataNodes network namespaces of their own, else why not.
func NamespacesAvailable() error { return namespacesAvailable() }

// add makes the namespace of the nth DataNode.
func (w *network) add(number int, host string) (*node, error) {
	n := &node{name: fmt.Sprintf("%s-%d", w.name, number), ip: w.address(number), host: host}
	w.nodes = append(w.nodes, n) // also when it fails: what was made until then is to be removed
	return n, w.addNode(n)
}

// address gives the address of the nth DataNode.
func (w *network) address(number int) string {
	return fmt.Sprintf("%s.%d", w.ip[:strings.LastIndexByte(w.ip, '.')], 10+number)
}

// enter makes a command run in the node's namespace; without a node it stays as it is.
func (n *node) enter(cmd *exec.Cmd) {
	if n == nil {
		return
	}
	inner := exec.Command("ip", append([]string{"netns", "exec", n.name}, cmd.Args...)...)
	cmd.Path, cmd.Args, cmd.Err = inner.Path, inner.Args, inner.Err
}

// Beside prepares a command that runs on the machine of a DataNode: in its network namespace, where there are some.
func (c *Cluster) Beside(ctx context.Context, dataNode, name string, args ...string) (*exec.Cmd, error) {
	p, err := c.part(dataNode)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, name, args...)
	p.node.enter(cmd)
	return cmd, nil
}

// topologyScript prints the rack of each argument, an address or a name of a DataNode, as net.topology.script.file.name
// demands.
func (c *Cluster) topologyScript() string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nfor a; do case $a in\n")
	for i := 1; i <= maxNodes; i++ {
		pattern := fmt.Sprintf("datanode%d", i)
		if c.network != nil {
			pattern += "|" + c.network.address(i)
		}
		if len(c.o.Racks) > 0 {
			fmt.Fprintf(&b, "%s) echo %s;;\n", pattern, c.o.Racks[(i-1)%len(c.o.Racks)])
		}
	}
	b.WriteString("*) echo /default-rack;;\nesac; done\n")
	return b.String()
}

// maxNodes is how many DataNodes a network can have.
const maxNodes = 100
