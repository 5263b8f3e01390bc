package journal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// A counter is a state machine whose facts are the numbers 1, 2, 3, and so on. Its snapshot is a fact
// with the latest number and a name.
type counter int64

func (c *counter) apply(e *event.Event) error {
	if e.Name == "snapshot" {
		*c = counter(e.N)
		return nil
	}
	if *c++; int64(*c) != e.N {
		return fmt.Errorf("fact %d follows %d", e.N, *c-1)
	}
	return nil
}

func record(t *testing.T, e event.Event) []byte {
	b, err := history.AppendRecord(nil, &e)
	require.NoError(t, err)
	return b
}

// The power is cut at 400 random moments of a journal that is written, replaced, reopened after
// kills and after faults of the disk. All facts that other processes have seen are still there.
func TestPowerFailures(t *testing.T) {
	disktest.Cuts(t, 400, func(t *testing.T, d *disktest.Disk, dir string, rng *rand.Rand) func(string) {
		told, sent := counter(0), counter(0)
		lost := false // the journal cannot continue without a restart
		faults := rng
		d.Fault = func(op disktest.Op, _ string) error {
			if op != disktest.Open && faults.IntN(12) == 0 {
				return []error{syscall.EIO, syscall.ENOSPC}[faults.IntN(2)]
			}
			return nil
		}
		var j *Journal
		open := func() bool {
			for range 100 {
				var state counter
				var err error
				if j, _, err = Open(dir, d, state.apply); err == nil {
					require.GreaterOrEqual(t, state, told)
					require.LessOrEqual(t, state, sent)
					told, sent = state, state
					return true
				}
				if d.Off() {
					return false
				}
			}
			t.Fatal("the journal does not open")
			return false
		}
		if !open() {
			return func(string) {}
		}
		for range 60 {
			var facts []byte
			for range 1 + rng.IntN(4) {
				sent++
				e := event.Event{Type: event.Started, N: int64(sent), Text: strings.Repeat("x", rng.IntN(1500))}
				facts = append(facts, record(t, e)...)
			}
			for lost = false; ; { // as package loop does
				err := error(nil)
				if rng.IntN(8) == 0 {
					snapshot := record(t, event.Event{Type: event.Started, N: int64(sent), Name: "snapshot",
						Text: strings.Repeat("y", rng.IntN(3000))})
					if err = j.Rotate(snapshot); err == nil {
						break
					}
				}
				if err = j.Append(facts); err == nil || d.Off() || failure.Is(err, failure.Internal) {
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
				if !lost && rng.IntN(2) == 0 { // killed between write and sync
					sent++
					name, err := factlog.Newest(dir)
					require.NoError(t, err)
					info, err := os.Stat(name)
					require.NoError(t, err)
					f, err := d.OpenFile(name, os.O_RDWR, 0)
					if err == nil {
						b := slices.Concat(history.AppendMark(nil, j.sum), record(t, event.Event{Type: event.Started, N: int64(sent)}))
						_, _ = f.WriteAt(b, info.Size())
						f.Close()
					}
				}
				require.NoError(t, j.Close())
				if !open() {
					j = nil
					break
				}
			}
		}
		if j != nil {
			require.NoError(t, j.Close())
		}
		return func(dir string) {
			var state counter
			j, _, err := Open(dir, disk.OS, state.apply)
			require.NoError(t, err)
			require.NoError(t, j.Close())
			require.GreaterOrEqual(t, state, told)
			require.LessOrEqual(t, state, sent)
		}
	})
}
