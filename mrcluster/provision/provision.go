// Package provision says where the nodes of a pool live: an agent of MR-clusters on each. A Backend starts agents, stops them and
// finds them again; the manager of a pool asks it for as many nodes as it shall have. Agents that somebody starts by hand need none.
// Package provisiontest is the contract as tests; package catalog lists the back ends.
package provision

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Backend is where the nodes of a pool live. It remembers nothing that cannot be found again: one that is opened after another one
// was killed lists and stops the nodes of that. Methods may be called concurrently, for one node one at a time.
type Backend interface {
	// Host is the address under which nodes reach this machine.
	Host() string
	// Start brings a node up and starts its agent. Where the agent runs already nothing happens; where it ended, another one finds
	// what it left on disk. Start does not wait until the agent has come to the pool. A name that cannot be used is of kind Usage.
	Start(ctx context.Context, name string) error
	// Stop ends the agent and whatever it started, and removes the node with all that it kept. An agent gets some seconds to leave in
	// good order. There may be no such node.
	Stop(ctx context.Context, name string) error
	// List tells which nodes there are, by name.
	List(ctx context.Context) ([]Node, error)
	// Close gives back what the back end holds itself. Nodes stay as they are; what they share goes when there are none.
	Close(ctx context.Context) error
}

// Node is one that a Backend has started and not stopped.
type Node struct {
	Name    string
	Host    string // its address, as the manager reaches it; "" = not known
	Dir     string // what its agent keeps lies there, on the node's own disk; "" = not known
	Running bool   // its agent runs
}

// Options are what every back end needs to know.
type Options struct {
	// Dir belongs to the pool: local nodes live below it, and back ends keep there what they have to find again.
	Dir string
	// Agent may be changed until the first Start: a manager knows the addresses that belong into it only after it has asked for Host.
	Agent *Agent
	Log   *slog.Logger // nil = slog.Default()
}

// Agent is the command that runs on a node. In its arguments {name}, {host} and {dir} stand for the node's name, its own address and
// the directory in which its agent keeps everything. It takes settings as -D key=value at its end.
type Agent struct {
	Program string
	Args    []string
	Env     []string // KEY=value beside those of the back end
}

// For gives the program and its arguments for a node, with settings, key=value, that the back end makes for it.
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

// maxName leaves room for what back ends put around a name where names are short.
const maxName = 40

// CheckName refuses what is no name of a node in some back end: it has 1 to 40 lower-case letters, digits and '-', and does not begin or
// end with '-'.
func CheckName(name string) error {
	bad := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, bad) || name[0] == '-' || name[len(name)-1] == '-' {
		return failure.New(failure.Usage, "name a node", name, errors.New("a name has 1 to 40 lower-case letters, digits and '-', and neither begins nor ends with '-'"))
	}
	return nil
}

// StopAll stops every node of a back end and closes it. It goes on after an error and gives the first.
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
