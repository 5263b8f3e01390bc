// Package command lets somebody else's program start, stop and list the nodes of a pool: ssh, kubectl, the command line of a cloud. Three
// lines say how. They are taken apart into words like those of a shell, but no shell sees them unless they name one; then {name}, {host}
// and {dir} stand for a node's name, its address and its agent's directory, a word {agent} for the words of the agent's command, and
// {agent:sh} for that command in one piece, quoted for a shell.
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
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
)

const (
	keyStart = "howdah.mrcluster.command.start"
	keyStop  = "howdah.mrcluster.command.stop"
	keyList  = "howdah.mrcluster.command.list"
)

// Config says which commands do the work. FromConf reads it.
type Config struct {
	// Start brings up a node and starts {agent} there, and ends while that runs on.
	Start []string
	// Stop ends the agent, gives it time to leave in good order, and removes the node with its {dir}. That there is no such node is no
	// error.
	Stop []string
	// List prints a line for each node: NAME, NAME HOST, or NAME HOST running|stopped, HOST "-" = that of NodeHost.
	List []string

	Host     string // address of this machine as nodes reach it; "" = the first that is not loopback
	NodeHost string // address of a node, with {name}
	Dir      string // of a node's agent, with {name}
	Program  string // howdah on nodes; "" = as the manager has it
	Timeout  time.Duration
}

// FromConf reads the settings.
func FromConf(c *conf.Config) (Config, error) {
	cfg := Config{Host: c.Get("howdah.mrcluster.command.host"), NodeHost: c.Get("howdah.mrcluster.command.node.host"),
		Dir: c.Get("howdah.mrcluster.command.dir"), Program: c.Get("howdah.mrcluster.command.program")}
	for key, words := range map[string]*[]string{keyStart: &cfg.Start, keyStop: &cfg.Stop, keyList: &cfg.List} {
		var err error
		*words, err = split(c.Get(key))
		if err == nil && len(*words) == 0 {
			err = errors.New("back end command needs it")
		}
		if slices.ContainsFunc(*words, func(w string) bool { return w != wordAgent && strings.Contains(w, wordAgent) }) {
			err = errGlued
		}
		if err != nil {
			return Config{}, c.Refuse(key, err)
		}
	}
	ms, err := c.Int("howdah.mrcluster.command.timeout.ms", 120_000, 100, 24*3600*1000)
	cfg.Timeout = time.Duration(ms) * time.Millisecond
	return cfg, err
}

// Backend is the back end that runs commands. Make it with New.
type Backend struct {
	o   provision.Options
	cfg Config
}

// New opens the back end.
func New(o provision.Options, cfg Config) (*Backend, error) {
	if cfg.Host == "" {
		var err error
		if cfg.Host, err = ownAddress(); err != nil {
			return nil, err
		}
	}
	return &Backend{o, cfg}, nil
}

// ownAddress gives an address under which others may reach this machine.
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

// Host gives the address of this machine.
func (b *Backend) Host() string { return b.cfg.Host }

func (b *Backend) node(name string) provision.Node {
	named := strings.NewReplacer("{name}", name)
	return provision.Node{Name: name, Host: named.Replace(b.cfg.NodeHost), Dir: named.Replace(b.cfg.Dir)}
}

// Start runs the command unless the node is listed as running.
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
		_, err = b.run(ctx, "start node", name, words, agent.Env)
	}
	return err
}

// find gives a node as it is listed, else as the settings say: then it does not run.
func (b *Backend) find(ctx context.Context, name string) (provision.Node, error) {
	nodes, err := b.List(ctx)
	if i := slices.IndexFunc(nodes, func(n provision.Node) bool { return n.Name == name }); i >= 0 {
		return nodes[i], err
	}
	return b.node(name), err
}

// Stop runs the command, also for a node that is not listed, or when nothing can be: one may be about to come up.
func (b *Backend) Stop(ctx context.Context, name string) error {
	if err := provision.CheckName(name); err != nil {
		return err
	}
	n, _ := b.find(ctx, name)
	words, err := fill(b.cfg.Stop, n, nil)
	if err == nil {
		_, err = b.run(ctx, "stop node", name, words, nil)
	}
	return err
}

// List runs the command and reads what it prints.
func (b *Backend) List(ctx context.Context) ([]provision.Node, error) {
	out, err := b.run(ctx, "list nodes by", b.cfg.List[0], b.cfg.List, nil)
	if err != nil {
		return nil, err
	}
	return b.parse(out)
}

// Close does nothing: the back end holds nothing.
func (b *Backend) Close(context.Context) error { return nil }

// wordAgent stands for the words of the agent's command.
const wordAgent = "{agent}"

var errGlued = errors.New("{agent} stands for several words: make it a word of its own, or write {agent:sh}")

// fill puts a node and its agent's command into words.
func fill(words []string, n provision.Node, agent []string) ([]string, error) {
	r := strings.NewReplacer("{name}", n.Name, "{host}", n.Host, "{dir}", n.Dir, "{agent:sh}", quote(agent))
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

// parse reads the lines of List.
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
			return failure.New(failure.Corrupt, "list nodes", fmt.Sprintf("line %d of what %s printed", line, b.cfg.List[0]), errors.New(why)).
				Fix("let " + keyList + " print NAME, NAME HOST or NAME HOST running|stopped for each node")
		}
		if err := provision.CheckName(n.Name); err != nil {
			return nil, bad(err.Error())
		}
		if _, twice := byName[n.Name]; twice {
			return nil, bad(n.Name + " comes twice")
		}
		if len(fields) > 1 && fields[1] != "-" {
			n.Host = fields[1]
		}
		if len(fields) > 2 {
			n.Running = fields[2] == "running"
		}
		if len(fields) > 3 || len(fields) > 2 && !n.Running && fields[2] != "stopped" {
			return nil, bad(fmt.Sprintf("%q is no node", strings.TrimSpace(text)))
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
