// Package netns lets the nodes of a pool be network namespaces of this machine (Linux, root): each has an address, an agent and a link
// of its own, which can be as slow as that of a real node, and a share of the CPU that all of the node together cannot exceed.
//
// All names derive from the pool's directory: a bridge, a namespace and a cable for each node, a control group. So whoever opens the
// back end next finds what one that was killed has left.
package netns

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/process"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
)

// Config says what nodes get.
type Config struct {
	Mbit  int64   // of the link, in each direction; 0 = as fast as it can
	Cores float64 // CPU time; 0 = all that there is
	// Mount is where the kernel shows control groups, in which Cores is made true; Hierarchy where TaskTrackers have theirs if nothing
	// is limited, "" = the default. Groups of TaskTrackers that were killed go with their node.
	Mount, Hierarchy string
}

// FromConf reads the settings.
func FromConf(c *conf.Config) (Config, error) {
	mbit, err := c.Int("howdah.mrcluster.netns.rate.mbit", 0, 0, maxMbit)
	if err != nil {
		return Config{}, err
	}
	cores, err := c.Float("howdah.mrcluster.netns.cores", 0, 0, maxCores)
	if err != nil {
		return Config{}, err
	}
	if cores > 0 && cores < minCores {
		return Config{}, c.Refuse("howdah.mrcluster.netns.cores", fmt.Errorf("want 0 or at least %v", minCores))
	}
	return Config{Mbit: mbit, Cores: cores, Mount: c.Get("howdah.tasktracker.cgroups.mount"), Hierarchy: c.Get("howdah.tasktracker.cgroups.hierarchy")}, nil
}

const (
	maxMbit  = 100_000
	minCores = 0.01
	maxCores = 1000
)

// Backend is the back end of network namespaces. Make it with New.
type Backend struct {
	o    provision.Options
	cfg  Config
	dir  string // of the pool, absolute
	name string // of the bridge, and first part of all names
	net  subnet.Subnet

	mu sync.Mutex // one change of the network at a time
}

// New opens the back end on a directory and makes the bridge. Without root the error is of kind Permission.
func New(o provision.Options, cfg Config) (*Backend, error) {
	const op = "make network namespaces"
	if runtime.GOOS != "linux" {
		return nil, failure.New(failure.NotFound, op, "", errors.New("they are Linux's"))
	}
	if os.Geteuid() != 0 {
		return nil, failure.New(failure.Permission, op, "", errors.New("only root may")).Fix("run the manager as root, or choose another howdah.mrcluster.backend")
	}
	dir, err := filepath.Abs(o.Dir)
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "netns"), 0o755)
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", o.Dir, err)
	}
	b := &Backend{o: o, cfg: cfg, dir: dir, name: nameOf(dir)}
	if err := b.openNetwork(); err != nil {
		_ = b.Close(context.Background())
		return nil, err
	}
	return b, b.writeNames()
}

// nameOf gives the name that all names of a pool begin with.
func nameOf(dir string) string {
	hash := sha256.Sum256([]byte(dir))
	return "hwd" + hex.EncodeToString(hash[:3])
}

// Host gives the address of the bridge.
func (b *Backend) Host() string { return b.net.Address(subnet.Gateway) }

func (b *Backend) nodeDir(name string) string { return filepath.Join(b.dir, "nodes", name) }

// numberFile says which number a node has: what it is called in the kernel, and the last part of its address.
func (b *Backend) numberFile(name string) string { return filepath.Join(b.dir, "netns", "node."+name) }

func (b *Backend) number(name string) int {
	text, err := os.ReadFile(b.numberFile(name))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if n < subnet.First || n > subnet.Last {
		return 0
	}
	return n
}

// take gives a node a number that nobody has.
func (b *Backend) take(name string) (int, error) {
	if n := b.number(name); n != 0 {
		return n, nil
	}
	taken := map[int]bool{}
	all, _ := filepath.Glob(b.numberFile("*"))
	for _, file := range all {
		taken[b.number(strings.TrimPrefix(filepath.Base(file), "node."))] = true
	}
	n := subnet.Lowest(taken)
	if n == 0 {
		return 0, failure.New(failure.Limit, "start node", name, fmt.Errorf("there are %d in this pool already", len(taken)))
	}
	if err := os.WriteFile(b.numberFile(name), []byte(strconv.Itoa(n)+"\n"), 0o644); err != nil {
		return 0, failure.New(failure.KindOf(err), "write", b.numberFile(name), err)
	}
	return n, nil
}

func (b *Backend) node(name string, number int) provision.Node {
	n := provision.Node{Name: name, Dir: b.nodeDir(name)}
	if number != 0 {
		n.Host = b.net.Address(number)
	}
	return n
}

// Start makes the node's namespace and starts its agent there.
func (b *Backend) Start(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	if process.Running(b.nodeDir(name)) {
		return nil
	}
	if err := process.End(ctx, b.nodeDir(name)); err != nil { // what a dead agent has left is in a namespace that goes now
		return err
	}
	b.mu.Lock()
	number, err := b.take(name)
	if err == nil {
		err = b.connect(number)
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	var settings []string
	var into func(pid int) error
	if b.cfg.Cores > 0 {
		group, err := b.limit(name)
		if err != nil {
			return err
		}
		into = func(pid int) error { return group.Join("agent", pid) }
		settings = append(settings, "howdah.tasktracker.cgroups.hierarchy="+b.groupPath(name)+"/"+attempts)
	}
	n := b.node(name, number)
	return process.Start(n.Dir, b.inside(number, b.o.Agent.For(n, settings...)), b.o.Agent.Env, into)
}

// Stop ends what runs on the node and removes its namespace, its control group and its directory.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	if err := process.End(ctx, b.nodeDir(name)); err != nil {
		return err
	}
	if err := b.unlimit(ctx, name); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.number(name); n != 0 {
		if err := b.disconnect(n); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(b.nodeDir(name)); err != nil {
		return failure.New(failure.KindOf(err), "remove", b.nodeDir(name), err)
	}
	if err := os.Remove(b.numberFile(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure.New(failure.KindOf(err), "remove", b.numberFile(name), err)
	}
	return nil
}

// List lists the nodes that have a number.
func (b *Backend) List(context.Context) ([]provision.Node, error) {
	files, err := filepath.Glob(b.numberFile("*"))
	if err != nil {
		return nil, failure.New(failure.IO, "list nodes in", b.dir, err)
	}
	var out []provision.Node
	for _, file := range files {
		name := strings.TrimPrefix(filepath.Base(file), "node.")
		n := b.node(name, b.number(name))
		n.Running = process.Running(n.Dir)
		out = append(out, n)
	}
	return out, nil
}

// Close removes the bridge if there are no nodes.
func (b *Backend) Close(ctx context.Context) error {
	nodes, err := b.List(ctx)
	if err != nil || len(nodes) > 0 {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unlimitPool(ctx)
	b.closeNetwork()
	_ = os.Remove(filepath.Join(b.dir, "nodes"))
	if err := os.RemoveAll(filepath.Join(b.dir, "netns")); err != nil {
		return failure.New(failure.KindOf(err), "remove", b.dir, err)
	}
	return nil
}
