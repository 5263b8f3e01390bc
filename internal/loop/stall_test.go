package loop

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func full() error { return failure.New(failure.DiskFull, "write journal", "dir", nil) }

// While the disk is full, the machine stalls and calls fail with the disk's error. When the
// disk has room again, the same write succeeds, and the machine continues with all its decisions.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := 0
		var reports []error
		w := start(func(w *world) {
			w.Tick = func() { ticks++ }
			w.Disk = func(err error) { reports = append(reports, err) }
		})
		var undecided atomic.Int32
		for range 3 { // the first is in the failing write, the others in the next batch
			go func() {
				_, err := w.decide("a")
				require.True(t, failure.Is(err, failure.DiskFull), "%v", err)
				require.EqualError(t, err, "query machine: write journal dir: disk full; "+
					"machine continues as soon as it can write its journal")
				require.True(t, Undecided(err))
				undecided.Add(1)
			}()
			synctest.Wait()
		}
		w.disk.gate <- full()
		synctest.Wait()
		require.EqualValues(t, 3, undecided.Load())
		before := ticks

		_, err := w.decide("b")
		require.True(t, failure.Is(err, failure.DiskFull), "%v", err)
		require.False(t, Undecided(err), "nothing of it has happened")
		var patient atomic.Bool
		go func() {
			_, err := Ask(Patient(t.Context()), w.Loop, func() (int, error) { w.state += "c"; w.Append("c"); return 1, nil })
			require.NoError(t, err)
			patient.Store(true)
		}()
		for range 10 {
			time.Sleep(retryEvery)
			w.disk.gate <- full()
		}
		synctest.Wait()
		require.Equal(t, before, ticks, "the machine stalls")
		require.False(t, patient.Load())

		time.Sleep(retryEvery)
		w.disk.gate <- nil
		synctest.Wait()
		w.disk.gate <- nil // the other two and the patient one
		synctest.Wait()
		if !patient.Load() {
			w.disk.gate <- nil
		}
		synctest.Wait()
		require.True(t, patient.Load())
		require.Equal(t, "aaac", w.state)
		require.Len(t, reports, 2)
		require.Error(t, reports[0])
		require.NoError(t, reports[1])
		for _, text := range w.disk.started()[:12] {
			require.Equal(t, "a", text, "the same write again")
		}
		go func() { _, err := w.decide("d"); require.NoError(t, err) }()
		synctest.Wait()
		w.disk.gate <- nil
		require.NoError(t, w.stop())
	})
}

// A caller whose function is still in the queue when the disk becomes full gets an error that says
// so, and the function never runs.
func TestFullDiskDropsQueuedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(func(w *world) { w.Sent = func() { w.Sync() } }) // the loop waits for the disk
		go w.decide("a")
		synctest.Wait()
		var refused atomic.Bool
		go func() {
			_, err := w.decide("b")
			require.False(t, Undecided(err))
			refused.Store(failure.Is(err, failure.DiskFull))
		}()
		synctest.Wait()
		w.disk.gate <- full()
		synctest.Wait()
		require.True(t, refused.Load())
		time.Sleep(retryEvery)
		w.disk.gate <- nil
		synctest.Wait()
		require.Equal(t, "a", w.state)
		require.NoError(t, w.stop())
	})
}

// A loop that must stop while the disk is full ends with the disk's error.
func TestStopWithAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(nil)
		go w.decide("a")
		synctest.Wait()
		w.disk.gate <- full()
		synctest.Wait()
		require.True(t, failure.Is(w.stop(), failure.DiskFull))
	})
}

// If there is no room for a new journal, or the history cannot be synced, the facts go to the old one.
func TestNoRoomForASnapshot(t *testing.T) {
	for name, prepare := range map[string]error{"rotate": nil, "prepare": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(func(w *world) { w.BeforeRotate = func() error { return prepare } })
				var answered atomic.Int32
				w.asking(t, 1, "a", &answered)
				w.asking(t, 1, "b", &answered)
				w.disk.grown.Store(true)
				w.disk.gate <- nil
				synctest.Wait()
				w.asking(t, 1, "c", &answered)
				w.disk.gate <- nil
				if prepare == nil {
					require.Equal(t, []string{"a", "b", "new [ab]c"}, w.disk.started())
					w.disk.gate <- full()
				}
				started := w.disk.started()
				require.Equal(t, "c", started[len(started)-1])
				require.EqualValues(t, 2, answered.Load())
				w.disk.gate <- nil
				synctest.Wait()
				require.EqualValues(t, 3, answered.Load())
				require.NoError(t, w.stop())
			})
		})
	}
}
