//go:build integration

package mrcluster

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/howdah/howdah/integration/testpool"
)

var (
	kills = flag.Int("kills", 8, "number of processes to kill")
	seed  = flag.Uint64("seed", 0, "seed of the moments and the victims; 0 = any")
)

// The test kills the manager, agents, JobTrackers, and TaskTrackers at random times while
// MR-clusters run jobs. Each successful job has the correct output. No node is ever in two
// MR-clusters. In the end, all nodes are free, and nothing is left behind.
func TestKilledAtAnyMoment(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 6, Set: append([]string{"howdah.mrcluster.start.timeout.ms=60000"},
		hasty...)})
	f := disk{t.TempDir()}
	want := words(t, f.in(), 10, 1000)
	p.Must("mrcluster", "create", "a", "--core", "2", "--grow", "transient")
	p.Must("mrcluster", "create", "b", "--core", "1")
	p.Must("mrcluster", "create", "c", "--core", "1", "--grow", "transient")
	c := &campaign{t: t, p: p, r: random(t, "mrcluster-campaign", *kills), names: []string{"a", "b", "c"},
		roles: []string{"manager", "agent", "jobtracker", "tasktracker"},
		pause: 1400 * time.Millisecond, files: f, want: want}
	c.run(*kills)
	c.end(6)
}

// hasty holds settings with which the pool quickly detects killed processes and keeps retrying.
var hasty = []string{"howdah.mrcluster.expiry.ms=10000", "howdah.mrcluster.expiry.master.ms=60000",
	"howdah.mrcluster.attempts=100",
	"mapreduce.jobtracker.expire.trackers.interval=15000", "howdah.client.reconnect.timeout=60000"}

// random returns a campaign's source of random numbers. It logs the command that reproduces the
// campaign.
func random(t *testing.T, target string, kills int) *rand.Rand {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again with: make %s SEED=%d KILLS=%d", target, *seed, kills)
	return rand.New(rand.NewPCG(*seed, 0))
}

// disk implements files with a local directory.
type disk struct{ dir string }

func (d disk) in() string { return filepath.Join(d.dir, "in") }

func (d disk) out(name string, job int) string {
	return filepath.Join(d.dir, fmt.Sprintf("%s-%d", name, job))
}

func (d disk) away(string) bool { return false }

func (d disk) read(_, out string) (string, error) { return whole(out) }

// whole returns a job's output, or an error if the output is not complete.
func whole(dir string) (string, error) {
	if marks, _ := filepath.Glob(filepath.Join(dir, "_SUCCESS")); len(marks) == 0 {
		return "", errors.New("_SUCCESS is missing")
	}
	return parts(dir)
}
