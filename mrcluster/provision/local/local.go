// Package local runs the nodes of a pool as processes on this machine. Each node is an agent with
// its own session and directory. Nodes outlive the back end, and a new back end on the same
// directory finds them. Start with New.
package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/process"
)

// A Backend runs nodes as local processes. Create one with New.
type Backend struct {
	dir    string
	groups cgroup.Config
	agent  *provision.Agent
}

// New opens the back end on a directory. groups locates the control groups of TaskTrackers. Stop
// also removes the control groups that killed TaskTrackers left behind.
func New(o provision.Options, groups cgroup.Config) (*Backend, error) {
	dir, err := filepath.Abs(filepath.Join(o.Dir, "nodes"))
	if err != nil {
		return nil, failure.New(failure.IO, "find directory", o.Dir, err)
	}
	return &Backend{dir: dir, groups: groups, agent: o.Agent}, nil
}

// Host returns the loopback address.
func (b *Backend) Host() string { return "127.0.0.1" }

func (b *Backend) node(name string) provision.Node {
	return provision.Node{Name: name, Host: b.Host(), Dir: filepath.Join(b.dir, name)}
}

// Start starts a node's agent.
func (b *Backend) Start(_ context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	n := b.node(name)
	return process.Start(n.Dir, b.agent.For(n), b.agent.Env, nil)
}

// Stop ends a node's agent and removes the node's directory.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	err := process.Remove(ctx, b.node(name).Dir)
	cgroup.Sweep(b.groups)
	return err
}

// List returns the nodes that have a directory.
func (b *Backend) List(context.Context) ([]provision.Node, error) {
	entries, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failure.New(failure.KindOf(err), "list nodes in", b.dir, err)
	}
	var out []provision.Node
	for _, e := range entries {
		if e.IsDir() && provision.CheckName(e.Name()) == nil {
			n := b.node(e.Name())
			n.Running = process.Running(n.Dir)
			out = append(out, n)
		}
	}
	return out, nil
}

// Close removes the parent directory of the nodes if it is empty.
func (b *Backend) Close(context.Context) error {
	_ = os.Remove(b.dir)
	return nil
}
