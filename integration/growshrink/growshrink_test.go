//go:build integration && linux

package growshrink

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/mrcluster"
)

var (
	schedules = flag.Int("schedules", 0, "number of random schedules to run on one site, one after the other")
	seedFlag  = flag.Uint64("seed", 0, "seed of the first schedule, 0 = from the time")
	within    = flag.Duration("within", 0, "start no schedule later than this after the first; 0 = no limit")
	rows      = flag.Int64("rows", 400_000, "rows of 100 bytes to sort in a schedule")
)

// Four transient nodes and then four transient-core nodes join during a TeraSort. All of them leave
// during the job or after it. No data is lost.
func TestGrowAndShrink(t *testing.T) {
	wanted(t, *schedules)
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	s := build(t)
	s.generate(*rows)
	s.files["/in"] = s.digest("/in")
	first := time.Now()
	for i := range *schedules {
		seed := seed + uint64(i)
		began := time.Now()
		if *within > 0 && began.Sub(first) > *within {
			s.Logf("%d and the rest are not run", seed)
			break
		}
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			(&schedule{site: s.in(t), plan: draw(rand.New(rand.NewPCG(seed, 6)))}).run(fmt.Sprint("/out-", seed))
		})
		if !ok {
			t.Fatalf("again: go test -tags integration ./integration/growshrink -v -schedules 1 -seed %d", seed)
		}
		s.Logf("%d: %v", seed, time.Since(began).Round(time.Second))
	}
	s.await("the NameNode has missed all that left", func() bool {
		report, err := s.Admin.Report(t.Context())
		return err == nil && !slices.ContainsFunc(report,
			func(d admin.DataNode) bool { return d.Live && !slices.Contains(coreNodes, d.Host) })
	})
	s.check("at the end")
}

// plan is the random part of a schedule.
type plan struct {
	pause  [2]time.Duration // delay until the nodes of each kind join
	early  bool             // transient nodes leave while the job runs
	busy   bool             // transient-core nodes leave while another job reads the output
	groups [][]string       // transient-core nodes that leave together
}

func draw(rng *rand.Rand) (p plan) {
	for i := range p.pause {
		p.pause[i] = time.Duration(rng.IntN(3000)) * time.Millisecond
	}
	p.early, p.busy = rng.IntN(3) == 0, rng.IntN(2) == 0
	left := slices.Clone(storing)
	rng.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
	for len(left) > 0 {
		n := 1 + rng.IntN(len(left))
		p.groups = append(p.groups, left[:n])
		left = left[n:]
	}
	return p
}

// schedule is a random schedule on a site.
type schedule struct {
	*site
	plan
}

// run sorts into the directory out, which the next schedule removes after its own nodes have joined.
// Until then the files must survive on the core, although the NameNode may still consider the former
// DataNodes of returning nodes live.
func (s *schedule) run(out string) {
	s.Logf("%+v", s.plan)
	j := s.sort(out, dealt, countable)
	s.grow()
	if s.early {
		s.shrinkTransient()
	}
	s.Logf("growing: %v", s.end(j).Round(time.Second))
	s.check("with all nodes")
	for dir := range s.files {
		if dir != "/in" {
			s.remove(dir)
		}
	}
	// Nodes may join after the reduces have started, or may run few of them, and blocks are not
	// moved later. In that case, sort again.
	for try := 1; !s.counted(try == 6); try++ {
		s.remove(out)
		s.end(s.sort(out, dealt, countable))
	}
	s.files[out] = s.digest(out)
	validated := s.start("teravalidate", out, out+"-report")
	if !s.busy {
		s.end(validated)
	}
	if len(s.transientLeft()) > 0 {
		s.shrinkTransient()
		s.check("without transient nodes")
	}
	for _, names := range s.groups {
		s.shrinkStoring(names)
		s.check(fmt.Sprint("without ", names))
	}
	if s.busy {
		s.end(validated)
	}
	s.remove(out + "-report")
}

func (s *site) remove(dir string) {
	s.Helper()
	delete(s.files, dir)
	require.NoError(s, s.FS.Delete(s.Context(), dir, true))
}

// generate generates the rows to sort, with a job on the core.
func (s *site) generate(rows int64) {
	s.Helper()
	took := s.end(s.start("teragen", "-D", "mapreduce.job.maps=12", "-D", "dfs.blocksize=4m", fmt.Sprint(rows), "/in"))
	s.Logf("teragen: %v", took.Round(time.Second))
}

// sort starts a job that sorts the rows.
func (s *site) sort(out string, reduces int, block string) *job {
	return s.start("terasort", "-D", fmt.Sprintf("mapreduce.job.reduces=%d", reduces), "-D", "dfs.blocksize="+block,
		"/in", out)
}

// countable is the block size of a schedule's output, and dealt is its number of reduces. The blocks
// are smaller than the input's, so that there are enough of them to count. There are enough reduces
// that even the slowest node runs some.
const (
	countable = "512k"
	dealt     = 44
)

// grow adds nodes at random times, transient nodes first.
func (s *schedule) grow() {
	time.Sleep(s.pause[0])
	s.hasten(slices.Concat(transient, storing)...)
	s.Add(mrcluster.Transient, transient...)
	s.joined("transient", transient...)
	time.Sleep(s.pause[1])
	s.Add(mrcluster.TransientCore, storing...)
	s.joined("transient-core", storing...)
}

func (s *site) transientLeft() (left []string) {
	for _, name := range transient {
		if s.Has(name) {
			left = append(left, name)
		}
	}
	return left
}

// shrinkTransient releases transient nodes immediately (instant preemption).
func (s *site) shrinkTransient() {
	s.Helper()
	names := s.transientLeft()
	began := time.Now()
	s.leave(names...)
	s.Logf("%d transient nodes gone after %v", len(names), time.Since(began).Round(time.Second))
}

// shrinkStoring drains nodes and releases them when the master no longer needs them (delayed
// preemption).
func (s *site) shrinkStoring(names []string) {
	s.Helper()
	began := time.Now()
	s.Drain(names...)
	for _, name := range names {
		said := ""
		s.await(name+" is drained", func() bool {
			done, problem := s.Drained(name)
			if problem != said {
				said = problem
				s.Log(name, problem)
			}
			return done
		})
	}
	drained := time.Since(began)
	s.leave(names...)
	s.Logf("%v drained after %v, gone after %v", names, drained.Round(time.Second), time.Since(began).Round(time.Second))
}

// counted checks that transient nodes have no blocks. It reports whether each transient-core node
// has at least a twentieth of all blocks.
func (s *site) counted(must bool) bool {
	s.Helper()
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

// check compares the input and the sorted outputs with the digests recorded at their creation.
func (s *site) check(when string) {
	s.Helper()
	s.healthy()
	for dir, want := range s.files {
		require.Equal(s, want, s.digest(dir), "%s %s", dir, when)
	}
	s.Log("healthy and equal: ", when)
}
