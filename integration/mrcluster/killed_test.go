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
	kills = flag.Int("kills", 8, "how many processes are killed")
	seed  = flag.Uint64("seed", 0, "of the moments and the victims; 0 = any")
)

// Manager, agents, JobTrackers and TaskTrackers are killed at random moments while MR-clusters run jobs. All comes back: jobs end with
// the right output, no node is ever in two MR-clusters or lost to the pool, and nothing is left.
func TestKilledAtAnyMoment(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 6, Set: append([]string{"howdah.mrcluster.start.timeout.ms=60000"}, hasty...)})
	f := disk{t.TempDir()}
	want := words(t, f.in(), 10, 1000)
	p.Must("mrcluster", "create", "a", "--core", "2", "--grow", "transient")
	p.Must("mrcluster", "create", "b", "--core", "1")
	p.Must("mrcluster", "create", "c", "--core", "1", "--grow", "transient")
	c := &campaign{t: t, p: p, r: random(t, "mrcluster-campaign", *kills), names: []string{"a", "b", "c"}, roles: []string{"manager", "agent", "jobtracker", "tasktracker"},
		pause: 1400 * time.Millisecond, files: f, want: want}
	c.run(*kills)
	c.end(6)
}

// hasty settings let what was killed be missed soon.
var hasty = []string{"howdah.mrcluster.expiry.ms=10000", "howdah.mrcluster.expiry.master.ms=60000", "howdah.mrcluster.attempts=100",
	"mapreduce.jobtracker.expire.trackers.interval=15000", "howdah.client.reconnect.timeout=60000"}

// random begins a campaign's numbers and says how to have them again.
func random(t *testing.T, target string, kills int) *rand.Rand {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again with: make %s SEED=%d KILLS=%d", target, *seed, kills)
	return rand.New(rand.NewPCG(*seed, 0))
}

// disk is a directory of this machine.
type disk struct{ dir string }

func (d disk) in() string { return filepath.Join(d.dir, "in") }

func (d disk) out(name string, job int) string {
	return filepath.Join(d.dir, fmt.Sprintf("%s-%d", name, job))
}

func (d disk) away(string) bool { return false }

func (d disk) read(_, out string) (string, error) { return whole(out) }

// whole reads a job's output.
func whole(dir string) (string, error) {
	if marks, _ := filepath.Glob(filepath.Join(dir, "_SUCCESS")); len(marks) == 0 {
		return "", errors.New("there is no _SUCCESS")
	}
	return parts(dir)
}
