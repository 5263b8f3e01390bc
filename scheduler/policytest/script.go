package policytest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

var seedFlag = flag.Uint64("policytest.seed", 0, "run only the case of this seed (0 = all)")

// A game is one random case with a cluster and a script of steps. The seed determines the whole
// game, including random choices while it runs.
type game struct {
	o      Options
	seed   uint64
	slots  [][2]int32 // by tracker
	wide   bool       // some tasks need two slots
	script []step
	before func(*cluster, *jobtracker.Input)                 // called before each input unless nil
	keep   bool                                              // keep a journal of the facts
	wrap   func(*cluster, scheduler.Policy) scheduler.Policy // wraps each policy under test unless nil
}

// A step is one event of a script. what is the kind of the event (see cluster.play), and who
// selects a tracker, job, or task. Every number is valid in every state.
type step struct {
	what, who int
	spec      *job.Spec
}

// kinds is the number of kinds of steps.
const kinds = 20

func newGame(o Options, seed uint64) game {
	r := rand.New(rand.NewPCG(seed, 1))
	g := game{o: o, seed: seed}
	for range 1 + r.IntN(5) {
		g.slots = append(g.slots, [2]int32{r.Int32N(4), r.Int32N(4)})
	}
	g.wide = o.Machine == nil && seed%3 == 0
	all := o.Slots
	if g.wide {
		all = max(all, 2)
	}
	g.slots = append(g.slots, [2]int32{all, all}) // can run everything
	for range r.IntN(80) {
		s := step{what: r.IntN(kinds), who: r.IntN(1000)}
		if s.what < 3 {
			s.spec = g.spec(r)
		}
		g.script = append(g.script, s)
	}
	return g
}

// spec returns a random job.
func (g game) spec(r *rand.Rand) *job.Spec {
	s := &job.Spec{Name: fmt.Sprint("job", r.IntN(3)), User: fmt.Sprint("u", r.IntN(3)), MapAttempts: 100,
		ReduceAttempts: 100, Reduces: r.Int32N(5),
		Priority: job.Priority(r.IntN(5) - 2), SlowStart: []int32{0, 50_000, 1_000_000}[r.IntN(3)],
		MapLimit: max(0, r.Int32N(7)-3), ReduceLimit: max(0, r.Int32N(7)-3)}
	for range r.IntN(7) {
		var hosts []string
		for range r.IntN(4) {
			hosts = append(hosts, []string{"h0", "h1", "h2", "h3", "far"}[r.IntN(5)])
		}
		s.Splits = append(s.Splits, job.SplitMeta{Hosts: hosts, Length: r.Int64N(4)})
	}
	if g.wide {
		s.MapMemory, s.ReduceMemory = 512*r.Int32N(5), 512*r.Int32N(5)
	}
	if g.o.Speculator != nil {
		s.MapSpeculative, s.ReduceSpeculative = r.IntN(4) > 0, r.IntN(4) > 0
	}
	if g.o.Job != nil {
		g.o.Job(r, s)
		slices.SortFunc(s.Conf, func(a, b job.Property) int { return strings.Compare(a.Name, b.Name) })
	}
	return s
}

// Set adds a setting to the job's configuration. Options.Job can add settings in any order.
func Set(s *job.Spec, name, value string) {
	s.Conf = append(s.Conf, job.Property{Name: name, Value: value})
}

// found is the panic value with which failf ends a failed case.
type found struct{ text string }

func (g game) failf(format string, args ...any) { panic(found{fmt.Sprintf(format, args...)}) }

// try plays a case and returns the failure, or "" if the case succeeds. A panic in the policy is a
// failure.
func (g game) try(property func(game)) (wrong string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case found:
			wrong = p.text
		default:
			wrong = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	property(g)
	return ""
}

// check tests a property with many cases. For the first failure, it reports the shortest prefix of
// the script that still fails.
func (o Options) check(t *testing.T, name string, property func(game)) {
	t.Run(name, func(t *testing.T) {
		for i := range o.Cases {
			seed := uint64(i + 1)
			if *seedFlag != 0 {
				seed = *seedFlag
			}
			g := newGame(o, seed)
			wrong := g.try(property)
			if wrong == "" {
				continue
			}
			for n := range g.script {
				short := g
				short.script = g.script[:n]
				if text := short.try(property); text != "" {
					g, wrong = short, text
					break
				}
			}
			t.Fatalf("%s\nafter %d steps; to repeat: go test -run '^%s$' -policytest.seed=%d", wrong, len(g.script),
				strings.ReplaceAll(t.Name(), "/", "$/^"), seed)
		}
	})
}
