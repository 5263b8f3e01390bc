// Package local lets the nodes of a pool be processes of this machine: an agent each, in a session and a directory of its own. They
// outlive the back end, and one that is opened again on the same directory finds them.
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

// Backend is the local back end. Make it with New.
type Backend struct {
	dir    string
	groups cgroup.Config
	agent  *provision.Agent
}

// New opens the back end on a directory. groups says where TaskTrackers have their control groups: those of TaskTrackers that were killed
// go with their node.
func New(o provision.Options, groups cgroup.Config) (*Backend, error) {
	dir, err := filepath.Abs(filepath.Join(o.Dir, "nodes"))
	if err != nil {
		return nil, failure.New(failure.IO, "find directory", o.Dir, err)
	}
	return &Backend{dir: dir, groups: groups, agent: o.Agent}, nil
}

// Host gives loopback.
func (b *Backend) Host() string { return "127.0.0.1" }

func (b *Backend) node(name string) provision.Node {
	return provision.Node{Name: name, Host: b.Host(), Dir: filepath.Join(b.dir, name)}
}

// Start starts the agent of a node.
func (b *Backend) Start(_ context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	n := b.node(name)
	return process.Start(n.Dir, b.agent.For(n), b.agent.Env, nil)
}

// Stop ends the agent of a node and removes the node's directory.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	err := process.Remove(ctx, b.node(name).Dir)
	cgroup.Sweep(b.groups)
	return err
}

// List lists the directories of nodes.
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

// Close removes the directory of nodes if it is empty.
func (b *Backend) Close(context.Context) error {
	_ = os.Remove(b.dir)
	return nil
}
