// Package provisiontest is what every back end of a pool keeps to (provision.Backend), as tests.
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

// Suite says how a back end is opened, and how the tests look behind it.
type Suite struct {
	// Open opens the back end for the pool in the directory, a new one or one that another back end has left without closing.
	Open func(t *testing.T, o provision.Options) provision.Backend
	// Read gives a file that the agent wrote into its directory; "" = there is none.
	Read func(t *testing.T, n provision.Node, file string) string
	// Kill ends a node's agent as kill -9 does; the process is the one that the agent told.
	Kill func(t *testing.T, n provision.Node, pid string)
	// Left tells what is left of a node on this machine: processes, directories and the like. Empty = nothing.
	Left func(t *testing.T, n provision.Node) []string
}

// patience is long, since machines are busy and nobody waits for it unless something is wrong.
const patience = 60 * time.Second

// agent writes down that it was started, leaves a process in a session of its own behind, and stays. When it is asked to end it notes that.
const agent = `cd "$3"
trap 'echo bye > "$4"; kill $!; exit' TERM
setsid sleep 1000 &
echo $$ > pid
echo "$1 $2 $3" >> started
while :; do sleep 1000 & wait $!; done`

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pool)
	}{
		{"AgentsRun", agentsRun}, {"StartTwice", startTwice}, {"AgentKilled", agentKilled}, {"Polite", polite}, {"Reopened", reopened},
		{"StopUnknown", stopUnknown}, {"BadNames", badNames}, {"ManyAtOnce", manyAtOnce}, {"StopAll", stopAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &pool{Suite: s, options: provision.Options{Dir: t.TempDir()}, bye: t.TempDir() + "/bye"}
			p.options.Agent = &provision.Agent{Program: "/bin/sh", Args: []string{"-c", agent, "agent", "{name}", "{host}", "{dir}", p.bye}}
			p.backend = s.Open(t, p.options)
			defer func() { require.NoError(t, provision.StopAll(ctx(t), p.backend)) }()
			test.run(t, p)
		})
	}
}

type pool struct {
	Suite
	options provision.Options
	bye     string // file that a polite agent writes, on this machine
	backend provision.Backend
}

func ctx(t *testing.T) context.Context {
	c, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	t.Cleanup(cancel)
	return c
}

func (p *pool) start(t *testing.T, name string) { require.NoError(t, p.backend.Start(ctx(t), name)) }

// list gives the nodes by name.
func (p *pool) list(t *testing.T) map[string]provision.Node {
	nodes, err := p.backend.List(ctx(t))
	require.NoError(t, err)
	out := map[string]provision.Node{}
	last := ""
	for _, n := range nodes {
		require.Greater(t, n.Name, last, "nodes come by name, each once")
		last = n.Name
		out[n.Name] = n
	}
	return out
}

// up waits until an agent was started so many times on a node and is ready.
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
		require.Equal(t, fmt.Sprintf("%s %s %s\n", name, n.Host, n.Dir), p.Read(t, n, "started"), "the agent is told who it is")
	}
	one, two := p.list(t)["one"], p.list(t)["two"]
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Empty(t, p.Left(t, one))
	require.NotContains(t, p.list(t), "one")
	require.True(t, p.list(t)["two"].Running, "the other one is left alone")
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

// A node whose agent was killed is there still, and what it kept too.
func agentKilled(t *testing.T, p *pool) {
	p.start(t, "one")
	n := p.up(t, "one", 1)
	p.Kill(t, n, strings.TrimSpace(p.Read(t, n, "pid")))
	p.await(t, "the agent is seen dead", func() bool { return !p.list(t)["one"].Running })
	require.Contains(t, p.list(t), "one")
	p.start(t, "one")
	n = p.up(t, "one", 2)
	p.Kill(t, n, strings.TrimSpace(p.Read(t, n, "pid")))
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Empty(t, p.Left(t, n), "also what a dead agent has left behind goes")
}

func polite(t *testing.T, p *pool) {
	p.start(t, "one")
	n := p.up(t, "one", 1)
	require.NoError(t, p.backend.Stop(ctx(t), "one"))
	require.Equal(t, "bye\n", p.Read(t, provision.Node{Name: n.Name, Dir: "/"}, p.bye), "an agent may leave in good order")
}

// Another back end on the same directory finds the nodes, as after kill -9 of the manager.
func reopened(t *testing.T, p *pool) {
	p.start(t, "one")
	p.start(t, "two")
	p.up(t, "one", 1)
	p.up(t, "two", 1)
	before, host := p.list(t), p.backend.Host()
	p.backend = p.Open(t, p.options)
	require.Equal(t, before, p.list(t))
	require.Equal(t, host, p.backend.Host(), "nodes know this machine by it")
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
	require.NoError(t, p.backend.Stop(ctx(t), "one"), "also one that has hardly begun")
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
