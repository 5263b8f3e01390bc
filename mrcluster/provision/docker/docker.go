// Package docker runs the nodes of a pool as containers in the local Docker, on their own network.
// It uses the docker command. All names derive from the pool's directory, and labels describe the
// containers. A new back end therefore finds the containers of an earlier one that was killed.
// Start with New and FromConf.
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
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
	"github.com/howdah/howdah/mrcluster/provision/tool"
)

// Config configures the back end and its containers. FromConf reads it from the settings.
type Config struct {
	Image   string
	Options []string // additional options of docker create, such as limits, volumes, or capabilities
	Program string   // path of howdah in the image
	Dir     string   // directory of the agent in the container
	Docker  string   // path of the docker command
	Secret  string   // path on this host of the cluster's secret; every node gets a copy
	RunAs   string   // the nodes' howdah.tasktracker.run-as; "" means the one in the image's configuration
}

// secretInContainer is the path of the cluster's secret in a container.
const secretInContainer = "/howdah-secret"

// FromConf reads a Config from the settings.
func FromConf(c *conf.Config) (Config, error) {
	const key = "howdah.mrcluster.docker.image"
	cfg := Config{Image: conf.MRClusterDockerImage.Get(c), Options: strings.Fields(conf.MRClusterDockerOptions.Get(c)),
		Program: conf.MRClusterDockerProgram.Get(c), Dir: conf.MRClusterDockerDir.Get(c), Docker: "docker",
		Secret: conf.SecuritySecretFile.Get(c)}
	if name := conf.TaskTrackerRunAs.Name; !c.IsDefault(name) {
		cfg.RunAs = c.Get(name)
	}
	if cfg.Image == "" || strings.HasPrefix(cfg.Image, "-") {
		return Config{}, c.Refuse(key, errors.New("want an image name"))
	}
	if mode, _ := conf.SecurityTLS.Get(c); mode == "files" {
		return Config{}, c.Refuse(certs.KeyTLS, errors.New("containers do not get this host's certificates")).Fix("use auto")
	}
	return cfg, auth.CheckShared(c, conf.MRClusterBackend.Name, "containers have addresses of their own")
}

// Labels of the containers.
const (
	labelPool   = "howdah-pool"
	labelNode   = "howdah-node"
	labelNumber = "howdah-number" // last part of the container's address
)

// stopSeconds is how long an agent may take to shut down cleanly.
const stopSeconds = 20

// A Backend runs nodes as containers. Create one with New.
type Backend struct {
	o    provision.Options
	cfg  Config
	pool string // prefix of all names
	net  subnet.Subnet

	mu sync.Mutex // serializes the creation of containers, so that each gets its own address
}

// New opens the back end of a pool's directory and creates its network if necessary. It returns an
// error of kind Unreachable if Docker is not running or denies access.
func New(o provision.Options, cfg Config) (*Backend, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, failure.New(failure.IO, "find directory", o.Dir, err)
	}
	hash := sha256.Sum256([]byte(dir))
	b := &Backend{o: o, cfg: cfg, pool: "howdah-" + hex.EncodeToString(hash[:4])}
	return b, b.openNetwork(context.Background())
}

// command is the tool that runs docker commands. The timeout leaves time to pull an image.
var command = tool.Tool{Timeout: 10 * time.Minute,
	Missing: "install Docker, or choose another howdah.mrcluster.backend"}

// docker runs a docker command and returns its output.
func (b *Backend) docker(ctx context.Context, args ...string) (string, error) {
	what := strings.Join(args[:min(2, len(args))], " ")
	out, err := command.Run(ctx, "run docker", what, append([]string{b.cfg.Docker}, args...), nil)
	if err != nil && (strings.Contains(err.Error(), "Cannot connect to the Docker daemon") ||
		strings.Contains(err.Error(), "permission denied")) {
		err = failure.New(failure.Unreachable, "", "", err).Fix("start dockerd, and allow this user to access it")
	}
	return out, err
}

// openNetwork finds or creates the network of the pool.
func (b *Backend) openNetwork(ctx context.Context) error {
	found, err := b.network(ctx)
	if err != nil || found {
		return err
	}
	if b.net, err = subnet.Find(b.pool); err != nil {
		return err
	}
	_, err = b.docker(ctx, "network", "create", "--label", labelPool+"="+b.pool, "--subnet", b.net.CIDR(), "--gateway",
		b.Host(), b.pool)
	return err
}

// network sets b.net to the addresses of the pool's network. found reports whether the network
// exists.
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
		return false, failure.New(failure.Exists, "use network", b.pool,
			fmt.Errorf("the gateway %q is unusable", gateway)).Fix("remove the network: docker network rm " + b.pool)
	}
	return true, nil
}

// Host returns the address of the network's gateway, where containers reach this machine.
func (b *Backend) Host() string { return b.net.Address(subnet.Gateway) }

func (b *Backend) container(name string) string { return b.pool + "-" + name }

// A container is a node's container, as Docker reports it.
type container struct {
	provision.Node
	number int
}

// containers returns all containers of the pool, sorted by name.
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
			continue // incomplete, or created by another program
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

// Start starts the node's container unless it is running. It creates the container if necessary,
// and gives it the current secret.
func (b *Backend) Start(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	running, err := b.create(ctx, name)
	if err != nil || running {
		return err
	}
	if b.cfg.Secret != "" {
		_, err = b.docker(ctx, "cp", "-L", b.cfg.Secret, b.container(name)+":"+secretInContainer)
	}
	if err == nil {
		_, err = b.docker(ctx, "start", b.container(name))
	}
	return err
}

// create creates a container unless it already exists, and reports whether it is running.
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
	number, err := subnet.Lowest(taken, name)
	if err == nil {
		_, err = b.docker(ctx, b.arguments(name, number)...)
	}
	return false, err
}

// arguments returns the arguments for docker create. The --init option adds a process that forwards
// signals to the agent and ends the container when the agent exits.
func (b *Backend) arguments(name string, number int) []string {
	n := provision.Node{Name: name, Host: b.net.Address(number), Dir: b.cfg.Dir}
	agent := *b.o.Agent
	agent.Program = b.cfg.Program
	settings := []string{conf.SecuritySecretFile.Name + "=" + secretInContainer}
	if b.cfg.RunAs != "" {
		settings = append(settings, conf.TaskTrackerRunAs.Name+"="+b.cfg.RunAs)
	}
	words := agent.For(n, settings...)
	args := []string{"create", "--init", "--name", b.container(name), "--hostname", name, "--network", b.pool,
		"--ip", n.Host, "--label", labelPool + "=" + b.pool, "--label", labelNode + "=" + name, "--label",
		fmt.Sprintf("%s=%d", labelNumber, number), "--entrypoint", words[0], "--workdir", n.Dir}
	for _, kv := range agent.Env {
		args = append(args, "--env", kv)
	}
	args = append(append(args, b.cfg.Options...), b.cfg.Image)
	return append(args, words[1:]...)
}

// Stop stops and removes the node's container.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	id, err := b.docker(ctx, "ps", "-a", "-q", "--filter", "name=^/"+b.container(name)+"$")
	if err != nil || strings.TrimSpace(id) == "" {
		return err
	}
	if _, err := b.docker(ctx, "stop", "-t", strconv.Itoa(stopSeconds), b.container(name)); err != nil &&
		ctx.Err() != nil {
		return err
	}
	_, err = b.docker(ctx, "rm", "-f", "-v", b.container(name))
	return err
}

// SetCores changes the CPU limit of a running node; 0 means no limit.
func (b *Backend) SetCores(ctx context.Context, name string, cores float64) error {
	_, err := b.docker(ctx, "update", "--cpus", fmt.Sprint(cores), b.container(name))
	return err
}

// List returns the nodes, one per container.
func (b *Backend) List(ctx context.Context) ([]provision.Node, error) {
	all, err := b.containers(ctx)
	var out []provision.Node
	for _, c := range all {
		out = append(out, c.Node)
	}
	return out, err
}

// Close removes the network if the pool has no containers.
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
