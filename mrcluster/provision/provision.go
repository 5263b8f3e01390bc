// Package provision defines the interface to the back ends that provide the nodes of a pool. Each
// node runs an MR-cluster agent. A Backend starts, stops, and lists agents. A pool's manager uses
// it to run the configured number of nodes. Agents started by hand need no back end. Package
// provisiontest tests the contract, and package catalog lists the back ends.
package provision

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// A Backend provides the nodes of a pool. It keeps no state in memory that it cannot reconstruct,
// so a new back end can list and stop the nodes of an earlier one that was killed. A Backend is
// safe for concurrent use, but calls for the same node must not overlap.
type Backend interface {
	// Host returns the address at which nodes can reach this machine.
	Host() string
	// Start creates a node and starts its agent. It does nothing if the agent is already running.
	// If an earlier agent has ended, the new agent finds the earlier agent's files. Start does not
	// wait until the agent joins the pool. It returns an error of kind Usage if the name is
	// invalid.
	Start(ctx context.Context, name string) error
	// Stop ends the agent and its descendants, and removes the node with all its data. It gives the
	// agent a few seconds to shut down cleanly. If there is no such node, Stop succeeds.
	Stop(ctx context.Context, name string) error
	// List returns the nodes, sorted by name.
	List(ctx context.Context) ([]Node, error)
	// Close releases the resources of the back end itself and leaves the nodes as they are. If
	// there are no nodes, it also removes the resources that nodes share.
	Close(ctx context.Context) error
}

// A Node is a node that a Backend has started and not stopped.
type Node struct {
	Name    string
	Host    string // address at which the manager reaches the node; "" = unknown
	Dir     string // directory of the agent on the node's own disk; "" = unknown
	Running bool   // whether the agent is running
}

// Options are the options that all back ends share.
type Options struct {
	// Dir is the pool's directory. It contains the directories of local nodes and the data that a
	// back end needs to find its nodes again.
	Dir string
	// Agent may change until the first Start. It contains the manager's addresses, which the
	// manager can determine only after it has called Host.
	Agent *Agent
	Log   *slog.Logger // nil = slog.Default()
}

// An Agent is the command that runs on a node. In its arguments, For replaces {name}, {host}, and
// {dir} with the node's name, its address, and its agent's directory. The command must accept
// settings as -D key=value after its arguments.
type Agent struct {
	Program string
	Args    []string
	Env     []string // KEY=value, added to the back end's environment
}

// For returns the program and its arguments for a node. It appends the back end's settings, each
// given as key=value, as -D options.
func (a Agent) For(n Node, settings ...string) []string {
	r := strings.NewReplacer("{name}", n.Name, "{host}", n.Host, "{dir}", n.Dir)
	out := []string{a.Program}
	for _, arg := range a.Args {
		out = append(out, r.Replace(arg))
	}
	for _, kv := range settings {
		out = append(out, "-D", kv)
	}
	return out
}

// maxName limits the length of a node's name. It leaves room for the prefixes and suffixes of back
// ends.
const maxName = 40

// CheckName rejects names that are invalid for some back end. A valid name has 1 to 40 lower-case
// letters, digits, and '-', and does not begin or end with '-'. The error is of kind Usage.
func CheckName(name string) error {
	bad := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, bad) || name[0] == '-' || name[len(name)-1] == '-' {
		return failure.New(failure.Usage, "name a node", name,
			errors.New("a name has 1 to 40 lower-case letters, digits and '-', and neither begins nor ends with '-'"))
	}
	return nil
}

// StopAll stops every node of a back end and closes the back end. It continues after an error and
// returns the first one.
func StopAll(ctx context.Context, b Backend) error {
	nodes, first := b.List(ctx)
	errs := make(chan error)
	for _, n := range nodes {
		go func() { errs <- b.Stop(ctx, n.Name) }()
	}
	for range nodes {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	if err := b.Close(ctx); err != nil && first == nil {
		first = err
	}
	return first
}
