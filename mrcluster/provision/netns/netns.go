// Package netns runs the nodes of a pool in network namespaces on this machine (Linux, root). Each
// node has its own address, agent, and link. The package can limit the bandwidth of a link and the
// CPU time of a node. Start with New and FromConf.
//
// The names of the bridge, the control group, and each node's namespace and link derive from the
// pool's directory. A new back end therefore finds the nodes of an earlier one that was killed.
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
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/process"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
)

// Config configures the resources of each node.
type Config struct {
	Mbit  int64   // bandwidth of the link, in each direction; 0 = no limit
	Cores float64 // CPU time of the node; 0 = no limit
	// Mount is the mount point of the control groups that enforce Cores. Hierarchy is the parent
	// group of TaskTrackers if Cores is 0; "" means the default. Stop removes the groups that
	// killed TaskTrackers left behind in Hierarchy.
	Mount, Hierarchy string
}

// FromConf reads a Config from the settings.
func FromConf(c *conf.Config) (Config, error) {
	mbit, err := conf.MRClusterNetNSRateMbit.Get(c)
	if err != nil {
		return Config{}, err
	}
	cores, err := conf.MRClusterNetNSCores.Get(c)
	if err != nil {
		return Config{}, err
	}
	if cores > 0 && cores < minCores {
		return Config{}, c.Refuse(conf.MRClusterNetNSCores.Name, fmt.Errorf("want 0 or at least %v", minCores))
	}
	return Config{Mbit: mbit, Cores: cores, Mount: conf.TaskTrackerCGroupsMount.Get(c),
			Hierarchy: conf.TaskTrackerCGroupsHierarchy.Get(c)},
		auth.CheckShared(c, conf.MRClusterBackend.Name, "namespaces have addresses of their own")
}

const minCores = 0.01

// A Backend runs nodes in network namespaces. Create one with New.
type Backend struct {
	o    provision.Options
	cfg  Config
	dir  string // absolute directory of the pool
	name string // name of the bridge and prefix of all names
	net  subnet.Subnet

	mu sync.Mutex // serializes changes to the network
}

// New opens the back end on a directory and creates the bridge if necessary. It returns an error of
// kind NotFound on systems other than Linux, and of kind Permission if the process is not running
// as root.
func New(o provision.Options, cfg Config) (*Backend, error) {
	const op = "create network namespaces"
	if runtime.GOOS != "linux" {
		return nil, failure.New(failure.NotFound, op, "", errors.New("network namespaces need Linux"))
	}
	if os.Geteuid() != 0 {
		return nil, failure.New(failure.Permission, op, "", errors.New("only root may create them")).
			Fix("run the manager as root, or choose another howdah.mrcluster.backend")
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

// nameOf returns the prefix of all of a pool's names.
func nameOf(dir string) string {
	hash := sha256.Sum256([]byte(dir))
	return "hwd" + hex.EncodeToString(hash[:3])
}

// Host returns the address of the bridge, where nodes reach this machine.
func (b *Backend) Host() string { return b.net.Address(subnet.Gateway) }

func (b *Backend) nodeDir(name string) string { return filepath.Join(b.dir, "nodes", name) }

// numberFile returns the path of the file that stores a node's number. The number is part of the
// names of the node's kernel objects and the last part of the node's address.
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

// take returns a node's number. It assigns a free one if the node has none.
func (b *Backend) take(name string) (int, error) {
	if n := b.number(name); n != 0 {
		return n, nil
	}
	taken := map[int]bool{}
	all, _ := filepath.Glob(b.numberFile("*"))
	for _, file := range all {
		taken[b.number(strings.TrimPrefix(filepath.Base(file), "node."))] = true
	}
	n, err := subnet.Lowest(taken, name)
	if err != nil {
		return 0, err
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

// Start creates the node's namespace and, if its CPU time is limited, its control group. It then
// starts the agent in them. If the agent is already running, Start does nothing.
func (b *Backend) Start(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	if process.Running(b.nodeDir(name)) {
		return nil
	}
	// Remove the leftovers of a dead agent before removing its namespace.
	if err := process.End(ctx, b.nodeDir(name)); err != nil {
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

// Stop ends all processes of the node and removes its namespace, its control group, and its
// directory.
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
	if err := owned.RemoveAll(context.Background(), b.nodeDir(name)); err != nil {
		return failure.New(failure.KindOf(err), "remove", b.nodeDir(name), err)
	}
	if err := os.Remove(b.numberFile(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure.New(failure.KindOf(err), "remove", b.numberFile(name), err)
	}
	return nil
}

// List returns the nodes that have a number.
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

// Close removes the bridge and the back end's files if the pool has no nodes.
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
	if err := owned.RemoveAll(context.Background(), filepath.Join(b.dir, "netns")); err != nil {
		return failure.New(failure.KindOf(err), "remove", b.dir, err)
	}
	return nil
}
