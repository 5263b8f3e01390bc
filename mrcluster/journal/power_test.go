package journal

import (
	"errors"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// A counter is a state machine whose facts have the times 1, 2, 3, and so on. Its snapshot is the
// fact Snapshot with the latest time.
type counter int64

func (c *counter) apply(f *mrcluster.Fact) error {
	if f.Kind != mrcluster.Snapshot && f.Time != int64(*c)+1 {
		return errNext
	}
	*c = counter(f.Time)
	return nil
}

var errNext = errors.New("not the next fact")

// The power is cut at 400 random moments of a journal that is written, replaced, and reopened, even
// after disk faults. All facts that other processes have seen are still there.
func TestPowerFailures(t *testing.T) {
	disktest.Cuts(t, 400, func(t *testing.T, d *disktest.Disk, dir string, rng *rand.Rand) func(string) {
		told, sent := counter(0), counter(0)
		lost := false // the journal cannot continue without a restart
		d.Fault = func(op disktest.Op, _ string) error {
			if op != disktest.Open && rng.IntN(12) == 0 {
				return []error{syscall.EIO, syscall.ENOSPC}[rng.IntN(2)]
			}
			return nil
		}
		open := func() *Journal {
			for range 100 {
				var state counter
				j, _, err := Open(dir, "test.dir", d, state.apply)
				if err == nil {
					require.GreaterOrEqual(t, state, told)
					require.LessOrEqual(t, state, sent)
					told, sent = state, state
					return j
				}
				if d.Off() {
					return nil
				}
			}
			t.Fatal("the journal does not open")
			return nil
		}
		j := open()
		for i := 0; i < 60 && j != nil; i++ {
			var lines []byte
			for range 1 + rng.IntN(4) {
				sent++
				var err error
				lines, err = Encode(lines, mrcluster.Fact{Kind: mrcluster.NodeFreed, Time: int64(sent),
					Reason: strings.Repeat("x", rng.IntN(1500))})
				require.NoError(t, err)
			}
			for lost = false; ; {
				if rng.IntN(8) == 0 {
					text, err := Encode(nil, mrcluster.Fact{Kind: mrcluster.Snapshot, Time: int64(sent),
						Reason: strings.Repeat("y", rng.IntN(3000))})
					require.NoError(t, err)
					if j.Rotate(text) == nil {
						break
					}
				}
				if err := j.Append(lines); err == nil || d.Off() || failure.Is(err, failure.Internal) {
					lost = err != nil
					break
				}
			}
			if d.Off() {
				break
			}
			if !lost {
				told = sent
			}
			if lost || rng.IntN(10) == 0 {
				require.NoError(t, j.Close())
				j = open()
			}
		}
		if j != nil {
			require.NoError(t, j.Close())
		}
		return func(dir string) {
			var state counter
			j, _, err := Open(dir, "test.dir", disk.OS, state.apply)
			require.NoError(t, err)
			require.NoError(t, j.Close())
			require.GreaterOrEqual(t, state, told)
			require.LessOrEqual(t, state, sent)
		}
	})
}
