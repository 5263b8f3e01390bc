// Package provisiontest tests the contract of provision.Backend. Start with Suite and Run.
package provisiontest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
)

// A Suite defines how the tests open a back end and inspect its nodes.
type Suite struct {
	// Open opens the back end for the pool in o.Dir. The directory may be new, or in use by another
	// back end that was not closed.
	Open func(t *testing.T, o provision.Options) provision.Backend
	// Read returns the content of a file that the agent wrote to its directory. It returns "" if
	// the file does not exist.
	Read func(t *testing.T, n provision.Node, file string) string
	// Kill kills a node's agent with SIGKILL. pid is the agent's own process ID.
	Kill func(t *testing.T, n provision.Node, pid string)
	// Left returns the remains of a node on this machine, such as processes and directories.
	Left func(t *testing.T, n provision.Node) []string
}

// patience limits each wait in the tests. It is long because machines can be busy and only failing
// tests wait that long.
const patience = 60 * time.Second

// agent is a script that records its start, starts a process in a separate session, and waits. On
// SIGTERM, it records a graceful exit.
const agent = `cd "$3"
trap 'echo bye > "$4"; kill $!; exit' TERM
setsid sleep 1000 &
echo $$ > pid
echo "$1 $2 $3" >> started
while :; do sleep 1000 & wait $!; done`

// Run runs the tests of the suite.
func Run(t *testing.T, s Suite) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pool)
	}{
		{"AgentsRun", agentsRun}, {"StartTwice", startTwice}, {"AgentKilled", agentKilled}, {"Polite", polite},
		{"Reopened", reopened},
		{"StopUnknown", stopUnknown}, {"BadNames", badNames}, {"ManyAtOnce", manyAtOnce}, {"StopAll", stopAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &pool{Suite: s, options: provision.Options{Dir: t.TempDir()}, bye: t.TempDir() + "/bye"}
			p.options.Agent = &provision.Agent{Program: "/bin/sh", Args: []string{"-c", agent, "agent", "{name}", "{host}",
				"{dir}", p.bye}}
			p.backend = s.Open(t, p.options)
			defer func() { require.NoError(t, provision.StopAll(ctx(t), p.backend)) }()
			test.run(t, p)
		})
	}
}

type pool struct {
	Suite
	options provision.Options
	bye     string // local file that an agent writes on a graceful exit
	backend provision.Backend
}

func ctx(t *testing.T) context.Context {
	c, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	t.Cleanup(cancel)
	return c
}

func (p *pool) start(t *testing.T, name string) { require.NoError(t, p.backend.Start(ctx(t), name)) }

// list returns the back end's nodes, keyed by name.
func (p *pool) list(t *testing.T) map[string]provision.Node {
	nodes, err := p.backend.List(ctx(t))
	require.NoError(t, err)
	out := map[string]provision.Node{}
	last := ""
	for _, n := range nodes {
		require.Greater(t, n.Name, last, "nodes are in order of name, and none occurs twice")
		last = n.Name
		out[n.Name] = n
	}
	return out
}

// up waits until the agent of a node has started the given number of times and is running.
func (p *pool) up(t *testing.T, name string, starts int) provision.Node {
	var n provision.Node
	p.await(t, name+" is up", func() bool {
		n = p.list(t)[name]
		return n.Running && strings.Count(p.Read(t, n, "started"), "\n") == starts
	})
	return n
}

func (p *pool) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: ", what)
		}
	}
}

func agentsRun(t *testing.T, p *pool) {
	require.Empty(t, p.list(t))
	require.NotEmpty(t, p.backend.Host())
	p.start(t, "one")
	p.start(t, "two")
	for _, name := range []string{"one", "two"} {
		n := p.up(t, name, 1)
		require.Equal(t, fmt.Sprintf("%s %s %s\n", name, n.Host, n.Dir), p.Read(t, n, "started"),
			"the agent knows its node")
	}
	one, two := p.list(t)["one"], p.list(t)["two"]
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Empty(t, p.Left(t, one))
	require.NotContains(t, p.list(t), "one")
	require.True(t, p.list(t)["two"].Running, "the other node continues")
	require.NoError(t, p.backend.Stop(ctx(t), "two"))
	require.Empty(t, p.Left(t, two))
}

func startTwice(t *testing.T, p *pool) {
	p.start(t, "one")
	n := p.up(t, "one", 1)
	pid := p.Read(t, n, "pid")
	p.start(t, "one")
	n = p.up(t, "one", 1)
	require.Equal(t, pid, p.Read(t, n, "pid"))
}

// agentKilled checks that a node and its data survive when the agent is killed, and that Stop then
// ends the agent's other processes.
func agentKilled(t *testing.T, p *pool) {
	p.start(t, "one")
	n := p.up(t, "one", 1)
	p.Kill(t, n, strings.TrimSpace(p.Read(t, n, "pid")))
	p.await(t, "the back end notices that the agent is dead", func() bool { return !p.list(t)["one"].Running })
	require.Contains(t, p.list(t), "one")
	p.start(t, "one")
	n = p.up(t, "one", 2)
	p.Kill(t, n, strings.TrimSpace(p.Read(t, n, "pid")))
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Empty(t, p.Left(t, n), "the back end also removes a dead agent's processes")
}

func polite(t *testing.T, p *pool) {
	p.start(t, "one")
	n := p.up(t, "one", 1)
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Equal(t, "bye\n", p.Read(t, provision.Node{Name: n.Name, Dir: "/"}, p.bye), "an agent can end regularly")
}

// reopened checks that a second back end on the same directory finds the nodes, as it must after a
// kill -9 of the manager.
func reopened(t *testing.T, p *pool) {
	p.start(t, "one")
	p.start(t, "two")
	p.up(t, "one", 1)
	p.up(t, "two", 1)
	before, host := p.list(t), p.backend.Host()
	p.backend = p.Open(t, p.options)
	require.Equal(t, before, p.list(t))
	require.Equal(t, host, p.backend.Host(), "nodes reach this machine at the address")
	p.start(t, "two")
	p.start(t, "three")
	p.up(t, "two", 1)
	p.up(t, "three", 1)
	for _, n := range p.list(t) {
		require.NoError(t, p.backend.Stop(ctx(t), n.Name))
		require.Empty(t, p.Left(t, n))
	}
	require.Empty(t, p.list(t))
}

func stopUnknown(t *testing.T, p *pool) {
	require.NoError(t, p.backend.Stop(ctx(t), "nobody"))
	p.start(t, "one")
	require.NoError(t, p.backend.Stop(ctx(t), "one"), "also an agent that has just started")
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Empty(t, p.list(t))
}

func badNames(t *testing.T, p *pool) {
	for _, name := range []string{"", "..", "a/b", "A", "-x", strings.Repeat("x", 41)} {
		require.True(t, failure.Is(p.backend.Start(ctx(t), name), failure.Usage), name)
		require.True(t, failure.Is(p.backend.Stop(ctx(t), name), failure.Usage), name)
	}
	require.Empty(t, p.list(t))
	p.start(t, strings.Repeat("x", 40))
	p.up(t, strings.Repeat("x", 40), 1)
}

func manyAtOnce(t *testing.T, p *pool) {
	const many = 8
	each := func(do func(name string) error) {
		errs := make(chan error)
		for i := range many {
			go func() { errs <- do(fmt.Sprint("n", i)) }()
		}
		for range many {
			require.NoError(t, <-errs)
		}
	}
	c := ctx(t)
	each(func(name string) error { return p.backend.Start(c, name) })
	hosts := map[string]int{}
	for i := range many {
		hosts[p.up(t, fmt.Sprint("n", i), 1).Host]++
	}
	require.True(t, len(hosts) == 1 || len(hosts) == many, "either all share one address or each has its own: %v", hosts)
	each(func(name string) error { return p.backend.Stop(c, name) })
	require.Empty(t, p.list(t))
}

func stopAll(t *testing.T, p *pool) {
	p.start(t, "one")
	p.start(t, "two")
	all := p.list(t)
	require.NoError(t, provision.StopAll(ctx(t), p.backend))
	for _, n := range all {
		require.Empty(t, p.Left(t, n))
	}
	p.backend = p.Open(t, p.options)
	require.Empty(t, p.list(t))
}
