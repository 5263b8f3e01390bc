// Package docker lets the nodes of a pool be containers of this machine's Docker, on a network of their own. It uses the command of that
// name. All names derive from the pool's directory, and containers say by labels what they are; so whoever opens the back end next finds
// what one that was killed has left.
package docker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
)

// Config says what containers are made of. FromConf reads it.
type Config struct {
	Image   string
	Options []string // of docker create: limits, volumes, capabilities
	Program string   // howdah in the image
	Dir     string   // of the agent, in the container
	Docker  string   // the command
}

// FromConf reads the settings.
func FromConf(c *conf.Config) (Config, error) {
	const key = "howdah.mrcluster.docker.image"
	cfg := Config{Image: c.Get(key), Options: strings.Fields(c.Get("howdah.mrcluster.docker.options")),
		Program: c.Get("howdah.mrcluster.docker.program"), Dir: c.Get("howdah.mrcluster.docker.dir"), Docker: "docker"}
	if cfg.Image == "" || strings.HasPrefix(cfg.Image, "-") {
		return Config{}, c.Refuse(key, errors.New("want the name of an image"))
	}
	return cfg, nil
}

// The labels of containers.
const (
	labelPool   = "howdah-pool"
	labelNode   = "howdah-node"
	labelNumber = "howdah-number" // the last part of its address
)

// stopSeconds is how long an agent may take to leave in good order.
const stopSeconds = 20

// Backend is the back end of containers. Make it with New.
type Backend struct {
	o    provision.Options
	cfg  Config
	pool string // first part of all names
	net  subnet.Subnet

	mu sync.Mutex // one container is made at a time, so that no two take the same address
}

// New opens the back end on a directory and makes the network. Where Docker does not answer the error is of kind Unreachable.
func New(ctx context.Context, o provision.Options, cfg Config) (*Backend, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, failure.New(failure.IO, "find directory", o.Dir, err)
	}
	hash := sha256.Sum256([]byte(dir))
	b := &Backend{o: o, cfg: cfg, pool: "howdah-" + hex.EncodeToString(hash[:4])}
	return b, b.openNetwork(ctx)
}

// openNetwork finds the network of the pool, or makes it.
func (b *Backend) openNetwork(ctx context.Context) error {
	found, err := b.network(ctx)
	if err != nil || found {
		return err
	}
	if b.net, err = subnet.Find(b.pool); err != nil {
		return err
	}
	_, err = b.docker(ctx, "network", "create", "--label", labelPool+"="+b.pool, "--subnet", b.net.CIDR(), "--gateway", b.Host(), b.pool)
	return err
}

// network looks for the network and its addresses.
func (b *Backend) network(ctx context.Context) (found bool, err error) {
	ids, err := b.docker(ctx, "network", "ls", "-q", "--filter", "label="+labelPool+"="+b.pool)
	if err != nil || strings.TrimSpace(ids) == "" {
		return false, err
	}
	gateway, err := b.docker(ctx, "network", "inspect", "-f", "{{range .IPAM.Config}}{{.Gateway}}{{end}}", b.pool)
	if err != nil {
		return false, err
	}
	gateway = strings.TrimSpace(gateway)
	b.net = subnet.Subnet(strings.TrimSuffix(gateway, fmt.Sprintf(".%d", subnet.Gateway)))
	if !b.net.Valid() {
		return false, failure.New(failure.Exists, "use network", b.pool, fmt.Errorf("its gateway is %q", gateway)).Fix("remove it: docker network rm " + b.pool)
	}
	return true, nil
}

// Host gives the address of the network's gateway.
func (b *Backend) Host() string { return b.net.Address(subnet.Gateway) }

func (b *Backend) container(name string) string { return b.pool + "-" + name }

// container is what Docker tells of one.
type container struct {
	provision.Node
	number int
}

// containers asks Docker for all of the pool, by name.
func (b *Backend) containers(ctx context.Context) ([]container, error) {
	out, err := b.docker(ctx, "ps", "-a", "--no-trunc", "--filter", "label="+labelPool+"="+b.pool,
		"--format", `{{.Label "`+labelNode+`"}} {{.Label "`+labelNumber+`"}} {{.State}}`)
	if err != nil {
		return nil, err
	}
	var all []container
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 || provision.CheckName(fields[0]) != nil {
			continue // half made, or somebody else's
		}
		number, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		n := provision.Node{Name: fields[0], Host: b.net.Address(number), Dir: b.cfg.Dir, Running: fields[2] == "running"}
		all = append(all, container{n, number})
	}
	slices.SortFunc(all, func(a, b container) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Start starts the node's container, which is made unless it is there.
func (b *Backend) Start(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	running, err := b.create(ctx, name)
	if err == nil && !running {
		_, err = b.docker(ctx, "start", b.container(name))
	}
	return err
}

// create makes a container. One that is there is left as it is.
func (b *Backend) create(ctx context.Context, name string) (running bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.containers(ctx)
	if err != nil {
		return false, err
	}
	taken := map[int]bool{}
	for _, c := range all {
		if c.Name == name {
			return c.Running, nil
		}
		taken[c.number] = true
	}
	number := subnet.Lowest(taken)
	if number == 0 {
		return false, failure.New(failure.Limit, "start node", name, fmt.Errorf("there are %d in this pool already", len(taken)))
	}
	_, err = b.docker(ctx, b.arguments(name, number)...)
	return false, err
}

// arguments are those of docker create. An init makes the container end with its agent and passes the request to end on.
func (b *Backend) arguments(name string, number int) []string {
	n := provision.Node{Name: name, Host: b.net.Address(number), Dir: b.cfg.Dir}
	agent := *b.o.Agent
	agent.Program = b.cfg.Program
	command := agent.For(n)
	args := []string{"create", "--init", "--name", b.container(name), "--hostname", name, "--network", b.pool, "--ip", n.Host,
		"--label", labelPool + "=" + b.pool, "--label", labelNode + "=" + name, "--label", fmt.Sprintf("%s=%d", labelNumber, number),
		"--entrypoint", command[0], "--workdir", n.Dir}
	for _, kv := range agent.Env {
		args = append(args, "--env", kv)
	}
	args = append(append(args, b.cfg.Options...), b.cfg.Image)
	return append(args, command[1:]...)
}

// Stop ends and removes the node's container.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	id, err := b.docker(ctx, "ps", "-a", "-q", "--filter", "name=^/"+b.container(name)+"$")
	if err != nil || strings.TrimSpace(id) == "" {
		return err
	}
	if _, err := b.docker(ctx, "stop", "-t", strconv.Itoa(stopSeconds), b.container(name)); err != nil && ctx.Err() != nil {
		return err
	}
	_, err = b.docker(ctx, "rm", "-f", "-v", b.container(name))
	return err
}

// List lists the containers.
func (b *Backend) List(ctx context.Context) ([]provision.Node, error) {
	all, err := b.containers(ctx)
	var out []provision.Node
	for _, c := range all {
		out = append(out, c.Node)
	}
	return out, err
}

// Close removes the network if there are no containers.
func (b *Backend) Close(ctx context.Context) error {
	all, err := b.containers(ctx)
	if err != nil || len(all) > 0 {
		return err
	}
	if found, err := b.network(ctx); err != nil || !found {
		return err
	}
	_, err = b.docker(ctx, "network", "rm", b.pool)
	return err
}
