// Package command uses external programs such as ssh, kubectl, or a cloud's command line to start,
// stop, and list the nodes of a pool. Three settings contain the commands. The package splits them
// into words as a shell does, but it does not run a shell unless the command contains one. Start
// with New and FromConf.
//
// The package replaces these placeholders in the commands that start and stop a node:
//
//   - {name}, {host}, and {dir} are a node's name, its address, and its agent's directory.
//   - {agent} is the agent's command, as separate words. It is empty in the stop command.
//   - {agent:sh} is that command as one string, quoted for a shell.
//
// Examples:
//
//	start  ssh {host} "setsid {agent:sh} > {dir}.log 2>&1 < /dev/null &"
//	start  kubectl run {name} --image=howdah --restart=Never -- {agent}
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/shellwords"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/tool"
)

// Config configures the back end. FromConf reads it from the settings.
type Config struct {
	// Start creates a node and starts {agent} on it. The command must exit while the agent keeps
	// running.
	Start []string
	// Stop ends the agent, gives it time to shut down cleanly, and removes the node with its {dir}.
	// The command must succeed even if there is no such node.
	Stop []string
	// List prints one line per node: NAME, NAME HOST, or NAME HOST running|stopped. A HOST that is
	// missing or "-" means the address from NodeHost. A missing state means running.
	List []string

	Host     string // address at which nodes reach this machine; "" = the first non-loopback address
	NodeHost string // address of a node; may contain {name}
	Dir      string // directory of a node's agent; may contain {name}
	Program  string // path of howdah on the nodes; "" = the manager's own path
	Timeout  time.Duration
}

// run runs one of the commands and returns its output.
func (c Config) run(ctx context.Context, op, on string, words, env []string) (string, error) {
	command := tool.Tool{Timeout: c.Timeout, Slow: "check the command, or raise howdah.mrcluster.command.timeout.ms"}
	return command.Run(ctx, op, on, words, env)
}

// FromConf reads a Config from the settings.
func FromConf(c *conf.Config) (Config, error) {
	cfg := Config{Host: conf.MRClusterCommandHost.Get(c), NodeHost: conf.MRClusterCommandNodeHost.Get(c),
		Dir: conf.MRClusterCommandDir.Get(c), Program: conf.MRClusterCommandProgram.Get(c)}
	for key, words := range map[string]*[]string{conf.MRClusterCommandStart.Name: &cfg.Start,
		conf.MRClusterCommandStop.Name: &cfg.Stop, conf.MRClusterCommandList.Name: &cfg.List} {
		var err error
		*words, err = split(c.Get(key))
		if err == nil && len(*words) == 0 {
			err = errors.New("the command back end needs it")
		}
		if slices.ContainsFunc(*words, func(w string) bool { return w != wordAgent && strings.Contains(w, wordAgent) }) {
			err = errGlued
		}
		if err != nil {
			return Config{}, c.Refuse(key, err)
		}
	}
	ms, err := conf.MRClusterCommandTimeoutMS.Get(c)
	cfg.Timeout = time.Duration(ms) * time.Millisecond
	return cfg, err
}

// A Backend manages nodes with external commands. Create one with New.
type Backend struct {
	o   provision.Options
	cfg Config
}

// New returns a Backend. If cfg.Host is empty, New uses an address of this machine.
func New(o provision.Options, cfg Config) (*Backend, error) {
	if cfg.Host == "" {
		var err error
		if cfg.Host, err = ownAddress(); err != nil {
			return nil, err
		}
	}
	return &Backend{o, cfg}, nil
}

// ownAddress returns this machine's first IPv4 address that is neither loopback nor link-local, or
// 127.0.0.1 if there is none.
func ownAddress() (string, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return "", failure.New(failure.IO, "list addresses", "", err).Fix("set howdah.mrcluster.command.host")
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String(), nil
		}
	}
	return "127.0.0.1", nil
}

// Host returns the address of this machine.
func (b *Backend) Host() string { return b.cfg.Host }

func (b *Backend) node(name string) provision.Node {
	named := strings.NewReplacer("{name}", name)
	return provision.Node{Name: name, Host: named.Replace(b.cfg.NodeHost), Dir: named.Replace(b.cfg.Dir)}
}

// Start runs the start command unless the list command reports the node as running.
func (b *Backend) Start(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	n, err := b.find(ctx, name)
	if err != nil || n.Running {
		return err
	}
	agent := *b.o.Agent
	agent.Program = cmp.Or(b.cfg.Program, agent.Program)
	words, err := fill(b.cfg.Start, n, agent.For(n))
	if err == nil {
		_, err = b.cfg.run(ctx, "start node", name, words, agent.Env)
	}
	return err
}

// find returns a node as the list command reports it. For a node that is not listed, it returns a
// stopped node with the address from the settings.
func (b *Backend) find(ctx context.Context, name string) (provision.Node, error) {
	nodes, err := b.List(ctx)
	if i := slices.IndexFunc(nodes, func(n provision.Node) bool { return n.Name == name }); i >= 0 {
		return nodes[i], err
	}
	return b.node(name), err
}

// Stop runs the stop command even if the node is not listed or the list command fails, because the
// node might be starting.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	n, _ := b.find(ctx, name)
	words, err := fill(b.cfg.Stop, n, nil)
	if err == nil {
		_, err = b.cfg.run(ctx, "stop node", name, words, nil)
	}
	return err
}

// List runs the list command and parses its output.
func (b *Backend) List(ctx context.Context) ([]provision.Node, error) {
	out, err := b.cfg.run(ctx, "list nodes by", b.cfg.List[0], b.cfg.List, nil)
	if err != nil {
		return nil, err
	}
	return b.parse(out)
}

// Close does nothing because the back end holds no resources.
func (b *Backend) Close(context.Context) error { return nil }

// wordAgent is the placeholder for the words of the agent's command.
const wordAgent = "{agent}"

var errGlued = errors.New("{agent} expands to several words: write it as a separate word, or write {agent:sh}")

// fill replaces the placeholders in words.
func fill(words []string, n provision.Node, agent []string) ([]string, error) {
	r := strings.NewReplacer("{name}", n.Name, "{host}", n.Host, "{dir}", n.Dir, "{agent:sh}", shellwords.Join(agent))
	var out []string
	for _, w := range words {
		if w == wordAgent {
			out = append(out, agent...)
			continue
		}
		if strings.Contains(w, wordAgent) {
			return nil, failure.New(failure.Config, "read command", w, errGlued)
		}
		out = append(out, r.Replace(w))
	}
	return out, nil
}

// parse parses the output of the list command.
func (b *Backend) parse(out string) ([]provision.Node, error) {
	byName := map[string]provision.Node{}
	line := 0
	for text := range strings.Lines(out) {
		line++
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		n := b.node(fields[0])
		n.Running = true
		bad := func(why string) error {
			return failure.New(failure.Corrupt, "list nodes", fmt.Sprintf("line %d of the output of %s", line, b.cfg.List[0]),
				errors.New(why)).
				Fix("let " + conf.MRClusterCommandList.Name + " print NAME, NAME HOST or NAME HOST running|stopped for each node")
		}
		if err := provision.CheckName(n.Name); err != nil {
			return nil, bad(err.Error())
		}
		if _, twice := byName[n.Name]; twice {
			return nil, bad(n.Name + " occurs twice")
		}
		if len(fields) > 1 && fields[1] != "-" {
			n.Host = fields[1]
		}
		if len(fields) > 2 {
			n.Running = fields[2] == "running"
		}
		if len(fields) > 3 || len(fields) > 2 && !n.Running && fields[2] != "stopped" {
			return nil, bad(fmt.Sprintf("%q is not a node", strings.TrimSpace(text)))
		}
		byName[n.Name] = n
	}
	var nodes []provision.Node
	for _, n := range byName {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b provision.Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes, nil
}
