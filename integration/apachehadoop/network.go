package apachehadoop

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// network consists of a bridge on this machine and one namespace per DataNode. The NameNode and the
// tests run outside the namespaces.
type network struct {
	name  string // name of the bridge; also the prefix of the namespaces' names
	ip    string // address of the bridge, at which the NameNode listens
	nodes []*node
}

// node is the namespace of a DataNode.
type node struct {
	name, ip, host string
}

// NamespacesAvailable returns nil if this machine can give DataNodes their own network namespaces.
// Otherwise, it returns an error with the reason.
func NamespacesAvailable() error { return namespacesAvailable() }

// add creates the namespace of the nth DataNode.
func (w *network) add(number int, host string) (*node, error) {
	n := &node{name: fmt.Sprintf("%s-%d", w.name, number), ip: w.address(number), host: host}
	w.nodes = append(w.nodes, n) // recorded even after a failure, so that remove deletes the namespace
	return n, w.addNode(n)
}

// address returns the address of the nth DataNode.
func (w *network) address(number int) string {
	return fmt.Sprintf("%s.%d", w.ip[:strings.LastIndexByte(w.ip, '.')], 10+number)
}

// enter changes a command to run in the node's namespace. It does nothing if n is nil.
func (n *node) enter(cmd *exec.Cmd) {
	if n == nil {
		return
	}
	inner := exec.Command("ip", append([]string{"netns", "exec", n.name}, cmd.Args...)...)
	cmd.Path, cmd.Args, cmd.Err = inner.Path, inner.Args, inner.Err
}

// Beside returns a command that runs on the machine of the named DataNode. If the cluster uses
// namespaces, the command runs in the DataNode's namespace.
func (c *Cluster) Beside(ctx context.Context, dataNode, name string, args ...string) (*exec.Cmd, error) {
	p, err := c.part(dataNode)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, name, args...)
	p.node.enter(cmd)
	return cmd, nil
}

// topologyScript returns a script for net.topology.script.file.name. The script prints the rack of
// each argument, which is the address or name of a DataNode.
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

// maxNodes is the maximum number of DataNodes in a network.
const maxNodes = 100
