//go:build integration && linux

package growshrink

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/mrcluster"
)

var (
	schedules = flag.Int("schedules", 0, "random schedules to run")
	seedFlag  = flag.Uint64("seed", 0, "seed of the first schedule, 0 = from the time")
	rows      = flag.Int64("rows", 6_000_000, "rows of 100 bytes to sort")
	block     = flag.String("block", "4m", "size of blocks")
	alone     = flag.Bool("alone", false, "sort in the first schedule on the core alone, too: growing must have been quicker, which wants an idle machine")
)

// A TeraSort during which four transient nodes join and then four transient-core nodes, and after or during which all leave again.
func TestGrowAndShrink(t *testing.T) {
	if *schedules == 0 {
		t.Skip("it takes many minutes: make growshrink")
	}
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for i := range *schedules {
		seed := seed + uint64(i)
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			(&schedule{site: build(t), rng: rand.New(rand.NewPCG(seed, 6))}).run(*alone && i == 0)
		})
		if !ok {
			t.Fatalf("again: go test -tags integration ./integration/growshrink -v -schedules 1 -seed %d", seed)
		}
	}
}

// schedule is a random one.
type schedule struct {
	*site
	rng     *rand.Rand
	in, out string // digests
}

func (s *schedule) run(baseline bool) {
	s.Logf("the core is up after %v", time.Since(s.began).Round(time.Second))
	s.Logf("teragen: %v", s.end(s.start("teragen", "-D", "mapreduce.job.maps=12", fmt.Sprint(*rows), "/in")).Round(time.Second))
	s.in = s.digest("/in")
	var single time.Duration
	if baseline {
		single = s.end(s.start("terasort", "-D", "mapreduce.job.reduces=22", "/in", "/alone"))
		s.Logf("on %d core nodes: %v", cores, single.Round(time.Second))
		require.NoError(s, s.fs.Delete(s.Context(), "/alone", true))
	}
	j := s.start("terasort", "-D", "mapreduce.job.reduces=22", "/in", "/out")
	s.grow()
	if early := !baseline && s.rng.IntN(3) == 0; early {
		s.shrinkTransient() // while the job runs
	}
	took := s.end(j)
	s.Logf("growing: %v", took.Round(time.Second))
	if baseline {
		require.Less(s, took, single, "growing shortens the job")
	}
	for try := 0; !s.counted(try == 2); try++ { // the nodes joined when the reduces ran already: it is sorted anew, on all
		require.NoError(s, s.fs.Delete(s.Context(), "/out", true))
		s.end(s.start("terasort", "-D", "mapreduce.job.reduces=22", "/in", "/out"))
	}
	s.out = s.digest("/out")
	s.end(s.start("teravalidate", "/out", "/report"))
	s.check("before it shrinks")
	if len(s.transientLeft()) > 0 {
		s.shrinkTransient()
		s.check("without transient nodes")
	}
	left := slices.Clone(storing)
	s.rng.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
	for len(left) > 0 {
		n := 1 + s.rng.IntN(len(left))
		s.shrinkStoring(left[:n])
		left = left[n:]
		s.check(fmt.Sprint(len(left), " transient-core nodes are left"))
	}
}

// grow adds nodes at random moments, the transient ones first.
func (s *schedule) grow() {
	time.Sleep(time.Duration(s.rng.IntN(5000)) * time.Millisecond)
	s.add(mrcluster.Transient, transient...)
	time.Sleep(time.Duration(s.rng.IntN(5000)) * time.Millisecond)
	s.add(mrcluster.TransientCore, storing...)
	began := time.Now()
	s.awaitUp(transient...)
	s.Logf("transient nodes are up after %v", time.Since(began).Round(time.Second))
	s.awaitUp(storing...)
	s.Logf("transient-core nodes are up after %v", time.Since(began).Round(time.Second))
}

func (s *schedule) transientLeft() (left []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range transient {
		if s.roles[name] != nil {
			left = append(left, name)
		}
	}
	return left
}

// shrinkTransient gives transient nodes up at once: instant preemption.
func (s *schedule) shrinkTransient() {
	names := s.transientLeft()
	began := time.Now()
	s.leave(names...)
	s.Logf("%d transient nodes gone after %v", len(names), time.Since(began).Round(time.Second))
}

// shrinkStoring drains nodes and gives them up when the master says that nothing there is needed: delayed preemption.
func (s *schedule) shrinkStoring(names []string) {
	began := time.Now()
	s.drain(names...)
	for _, name := range names {
		s.await(name+" is drained", func() bool { done, _ := s.drained(name); return done })
	}
	s.Logf("%v drained after %v", names, time.Since(began).Round(time.Second))
	s.leave(names...)
	s.await("the NameNode knows that they are gone", func() bool {
		on, _ := s.blocks()
		return !slices.ContainsFunc(names, func(n string) bool { _, live := on[n]; return live })
	})
}

// counted checks where blocks lie: none on transient nodes, and tells whether each transient-core one has a twentieth of all at least.
func (s *schedule) counted(must bool) bool {
	on, all := s.blocks()
	s.Log("blocks", on)
	for _, name := range transient {
		require.Zero(s, on[name], name)
	}
	for _, name := range storing {
		if 20*on[name] < all {
			require.False(s, must, "%s has %d of %d blocks", name, on[name], all)
			return false
		}
	}
	return true
}

// check compares all files with what they were.
func (s *schedule) check(when string) {
	s.Helper()
	s.healthy()
	require.Equal(s, s.in, s.digest("/in"), when)
	require.Equal(s, s.out, s.digest("/out"), when)
	s.Log("healthy and equal: ", when)
}
