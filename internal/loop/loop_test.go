package loop

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// disk is a journal whose writes wait for the test.
type disk struct {
	gate  chan error
	grown atomic.Bool

	mu     sync.Mutex
	writes []string // started writes; those of Rotate begin with "new "
}

func (d *disk) Append(b []byte) error    { return d.write(string(b)) }
func (d *disk) Rotate(b ...[]byte) error { return d.write("new " + string(slices.Concat(b...))) }
func (d *disk) Grown() bool              { return d.grown.Swap(false) }
func (d *disk) write(text string) error  { d.add(text); return <-d.gate }

func (d *disk) add(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes = append(d.writes, text)
}

// started returns the writes that have started.
func (d *disk) started() []string {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes
}

// world is a loop over a machine whose state is the sequence of its facts.
type world struct {
	*Loop[string]
	disk  *disk
	state string
	err   error
	stop  func() error
}

// start runs a loop in a synctest bubble. change, if not nil, first changes the machine.
func start(change func(*world)) *world {
	w := &world{disk: &disk{gate: make(chan error)}}
	w.Loop = New(Machine[string]{
		Name: "machine",
		Encode: func(to []byte, fact string) ([]byte, error) {
			if fact == "?" {
				return to, errors.New("too large")
			}
			return append(to, fact...), nil
		},
		Snapshot: func() iter.Seq[string] {
			return func(yield func(string) bool) { yield("[" + w.state + "]") }
		},
		Err:       func() error { return w.err },
		Tick:      func() {},
		UntilTick: func() time.Duration { return time.Second },
	})
	if change != nil {
		change(w)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, w.disk) }()
	w.stop = func() error { cancel(); return <-done }
	return w
}

// decide makes a decision and returns the state after it.
func (w *world) decide(fact string) (string, error) {
	return Ask(context.Background(), w.Loop, func() (string, error) {
		w.state += fact
		w.Append(fact)
		return w.state, nil
	})
}

// asking asks for n decisions, each in its own goroutine, and counts the answers.
func (w *world) asking(t *testing.T, n int, fact string, answered *atomic.Int32) {
	for range n {
		go func() {
			_, err := w.decide(fact)
			require.NoError(t, err)
			answered.Add(1)
		}()
	}
	synctest.Wait()
}

// No decision is visible before it is on the disk. Decisions made while the disk is busy share its
// next write.
func TestAnswersWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(nil)
		var answered atomic.Int32
		w.asking(t, 1, "a", &answered)
		require.Equal(t, []string{"a"}, w.disk.started())
		w.asking(t, 50, "b", &answered)
		require.Zero(t, answered.Load(), "the first write is not done")
		w.disk.gate <- nil
		require.Equal(t, []string{"a", strings.Repeat("b", 50)}, w.disk.started(), "fifty decisions are one write")
		require.EqualValues(t, 1, answered.Load(), "the first one alone")
		w.disk.gate <- nil
		synctest.Wait()
		require.EqualValues(t, 51, answered.Load())
		require.NoError(t, w.stop())
	})
}

// A caller that reads a decision also waits until the decision is durable. Calls without facts write
// nothing.
func TestReadersWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(nil)
		read := func() (string, error) {
			return Ask(t.Context(), w.Loop, func() (string, error) { return w.state, errors.New("as f") })
		}
		_, err := read()
		require.EqualError(t, err, "as f")
		var answered atomic.Int32
		w.asking(t, 1, "a", &answered)
		seen := ""
		go func() { seen, _ = read() }()
		synctest.Wait()
		require.Empty(t, seen)
		w.disk.gate <- nil
		synctest.Wait()
		require.Equal(t, "a", seen)
		require.NoError(t, w.stop())
		require.Equal(t, []string{"a"}, w.disk.started())
	})
}

// Calls without facts do not wait for the writer if everything is durable. They wait for functions that
// the writer has not run yet.
func TestReadersOfADurableState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		w := start(func(w *world) { w.Sent = func() { sent++; w.Sync() } })
		require.NoError(t, w.Do(t.Context(), func() {}))
		require.Zero(t, sent)
		ran := false
		require.NoError(t, w.Do(t.Context(), func() { w.Later(func() { time.Sleep(time.Second); ran = true }) }))
		require.True(t, ran)
		require.Equal(t, 1, sent)
		synctest.Wait()
		require.NoError(t, w.Do(t.Context(), func() {}))
		require.Equal(t, 1, sent)
		require.NoError(t, w.stop())
	})
}

// If the journal fails for good, the loop releases only what the disk has stored and ends with the error.
func TestJournalFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(nil)
		var answered atomic.Int32
		w.asking(t, 1, "a", &answered)
		var refused atomic.Int32
		for range 3 { // all three decisions are in the batch whose write fails
			go func() {
				_, err := w.decide("b")
				require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
				require.EqualError(t, err, "query machine: it is shutting down; retry after it restarts")
				refused.Add(1)
			}()
		}
		synctest.Wait()
		w.disk.gate <- nil
		synctest.Wait()
		require.EqualValues(t, 1, answered.Load())
		w.disk.gate <- failure.New(failure.Internal, "write journal", "dir", nil)
		synctest.Wait()
		require.EqualValues(t, 3, refused.Load())
		_, err := w.decide("c")
		require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
		require.True(t, failure.Is(w.stop(), failure.Internal))
		require.Equal(t, []string{"a", "bbb"}, w.disk.started())
	})
}

// After a failed write, the writer drops all batches. Otherwise the disk could miss facts between
// those that it has.
func TestNothingIsWrittenAfterAFailure(t *testing.T) {
	l := New(Machine[string]{})
	d := &disk{gate: make(chan error, 2)}
	d.gate <- failure.New(failure.Internal, "write journal", "dir", nil)
	d.gate <- nil
	go func() {
		l.full <- &batch{facts: []byte("a")}
		l.full <- &batch{facts: []byte("b"), release: []func(){func() { t.Error("released") }}}
		close(l.full)
	}()
	require.True(t, failure.Is(l.write(t.Context(), d), failure.Internal))
	require.Equal(t, []string{"a"}, d.writes)
}

// While a batch is at its limit, the loop accepts no calls. It waits until the writer takes the batch.
func TestBatchLimits(t *testing.T) {
	for name, c := range map[string]struct {
		fact string
		n    int
	}{"facts": {strings.Repeat("b", maxBatch/4), 4}, "answers": {"b", maxRelease}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(nil)
				var answered atomic.Int32
				w.asking(t, 1, "a", &answered)
				w.asking(t, c.n, c.fact, &answered)
				w.asking(t, 10, "c", &answered)
				require.Len(t, w.calls, 10)
				w.disk.gate <- nil
				require.Equal(t, strings.Repeat(c.fact, c.n), w.disk.started()[1])
				require.Empty(t, w.calls)
				w.disk.gate <- nil
				require.Equal(t, "cccccccccc", w.disk.started()[2])
				w.disk.gate <- nil
				synctest.Wait()
				require.EqualValues(t, 1+c.n+10, answered.Load())
				require.NoError(t, w.stop())
			})
		})
	}
}

// The loop uses the memory of written batches again. It keeps neither the memory of a large batch nor
// the functions of a written one.
func TestBatchesAreReused(t *testing.T) {
	l := New(Machine[string]{})
	b := &batch{facts: make([]byte, 10, maxSpare), release: []func(){func() {}}, snapshot: [][]byte{{1}}, included: 1}
	l.reuse(b)
	require.Same(t, b, l.fresh())
	require.True(t, b.empty())
	require.Zero(t, b.included)
	require.Equal(t, maxSpare, cap(b.facts))
	require.Nil(t, b.release[:1][0])
	l.reuse(&batch{facts: make([]byte, 0, maxSpare+1)})
	l.reuse(&batch{release: make([]func(), 0, maxRelease+1)})
	require.Nil(t, l.fresh().facts)
	require.Nil(t, l.fresh().release)
}

// If the queue is full, callers wait until their deadlines. A stopped loop still writes its batch
// and answers the calls in it. All other calls fail because the loop is shutting down.
func TestStopWithAFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(nil)
		var answered atomic.Int32
		var refused atomic.Int32
		for range 1 + maxRelease + maxCalls + 5 {
			go func() {
				if _, err := w.decide("a"); err == nil {
					answered.Add(1)
				} else if failure.Is(err, failure.Unreachable) {
					refused.Add(1)
				}
			}()
			synctest.Wait()
		}
		require.Len(t, w.calls, maxCalls)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ran := false
		err := w.Do(ctx, func() { ran = true })
		require.True(t, failure.Is(err, failure.Timeout), "%v", err)
		require.EqualError(t, err, "query machine: context deadline exceeded")

		ended := make(chan error)
		go func() { ended <- w.stop() }()
		synctest.Wait()
		w.disk.gate <- nil
		w.disk.gate <- nil
		require.NoError(t, <-ended)
		synctest.Wait()
		require.EqualValues(t, 1+maxRelease, answered.Load())
		require.EqualValues(t, maxCalls+5, refused.Load())
		require.Len(t, w.state, 1+maxRelease)
		require.False(t, ran)
	})
}

// A caller whose deadline passes during a write does not wait for the disk.
func TestDeadlineDuringAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := Ask(ctx, w.Loop, func() (int, error) { w.Append("a"); return 1, nil })
		require.True(t, failure.Is(err, failure.Timeout), "%v", err)
		w.disk.gate <- nil
		require.NoError(t, w.stop())
	})
}

// If the journal has grown, the next batch becomes a new journal that begins with a snapshot. The
// calls in the batch wait for the new journal.
func TestRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(func(w *world) { w.BeforeRotate = func() error { w.disk.add("prepare"); return nil } })
		var answered atomic.Int32
		w.asking(t, 1, "a", &answered)
		w.asking(t, 2, "b", &answered)
		w.disk.grown.Store(true)
		w.disk.gate <- nil
		synctest.Wait()
		w.asking(t, 1, "c", &answered)
		w.disk.grown.Store(true) // the loop has the snapshot already
		w.disk.gate <- nil
		require.Equal(t, []string{"a", "bb", "prepare", "new [abb]c"}, w.disk.started())
		w.disk.gate <- nil
		require.Len(t, w.disk.started(), 4, "one new journal is enough")
		go func() {
			require.NoError(t, w.Do(t.Context(), func() {
				w.state += "d"
				w.Append("d")
				w.grown.Store(true)
			}))
		}()
		require.Equal(t, []string{"prepare", "new [abbcd]"}, w.disk.started()[4:], "the snapshot includes d")
		w.disk.gate <- nil
		require.NoError(t, w.stop())
		require.EqualValues(t, 4, answered.Load())
	})
}

// The loop answers calls while it works on a large snapshot. Their facts follow the snapshot in the
// new journal.
func TestCallsDuringASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const turns = 5
		calls, during := 0, []int{} // during is the number of calls before each turn
		w := start(func(w *world) {
			w.Snapshot = func() iter.Seq[string] {
				return func(yield func(string) bool) {
					state := w.state
					for i := range turns * perTurn {
						if i%perTurn == 0 {
							during = append(during, calls)
							w.calls <- call{func() { w.state += "c"; w.Append("c"); calls++ }, new(atomic.Bool), make(chan struct{})}
						}
						if !yield(state[:min(i, len(state))]) { // the facts after the third are as long as the state
							return
						}
					}
				}
			}
		})
		var answered atomic.Int32
		w.asking(t, 1, "a", &answered)
		w.asking(t, 1, "b", &answered)
		w.grown.Store(true)
		w.asking(t, 1, "b", &answered)
		w.disk.gate <- nil
		writes := w.disk.started()
		require.Len(t, writes, 2)
		require.True(t, strings.HasPrefix(writes[1], "new aababb"), writes[1][:20])
		require.True(t, strings.HasSuffix(writes[1], "abb"+strings.Repeat("c", turns)), writes[1][len(writes[1])-20:])
		require.Equal(t, []int{0, 1, 2, 3, 4}, during)
		w.disk.gate <- nil
		require.NoError(t, w.stop())
		synctest.Wait()
		require.EqualValues(t, 3, answered.Load())
	})
}

// A snapshot continues even if calls always wait. A loop that stops ends the iteration.
func TestSnapshotOfABusyMachine(t *testing.T) {
	s := &snapshot[string]{}
	require.NotNil(t, s.turn(0))
	for range maxCallsPerTurn {
		require.Nil(t, s.turn(1))
		s.count()
	}
	require.NotNil(t, s.turn(1))

	synctest.Test(t, func(t *testing.T) {
		ended := false
		w := start(func(w *world) {
			w.Snapshot = func() iter.Seq[string] {
				return func(yield func(string) bool) {
					for yield("") {
						time.Sleep(time.Millisecond)
					}
					ended = true
				}
			}
			w.grown.Store(true)
		})
		time.Sleep(time.Minute)
		require.NoError(t, w.stop())
		require.True(t, ended)
	})
}

// The loop does not copy the large facts of a snapshot.
func TestLargeSnapshot(t *testing.T) {
	const facts = 20
	large := strings.Repeat("f", 2*minPart)
	l := New(Machine[string]{
		Encode: func(to []byte, fact string) ([]byte, error) { return append(to, fact...), nil },
		Snapshot: func() iter.Seq[string] {
			return func(yield func(string) bool) {
				for range facts {
					_ = yield(large) && yield("s")
				}
			}
		},
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l.begin()
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64((facts+1)*len(large)))
	require.Equal(t, strings.Repeat(large+"s", facts), string(slices.Concat(l.cur.snapshot...)))
}

// A bug in the machine, or a fact that cannot be encoded, ends the loop. The loop writes no more, and
// its calls fail.
func TestBug(t *testing.T) {
	for name, bug := range map[string]func(*world){
		"machine": func(w *world) { w.err = errors.New("too large") },
		"fact":    func(w *world) { w.Append("?"); w.Append("b") },
		"snapshot": func(w *world) {
			w.state = ""
			w.Snapshot = func() iter.Seq[string] { return slices.Values([]string{"?"}) }
			w.grown.Store(true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(nil)
				err := w.Do(t.Context(), func() { w.Append("a"); bug(w) })
				require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
				err = w.stop()
				require.True(t, failure.Is(err, failure.Internal), "%v", err)
				require.EqualError(t, err, "run machine: too large")
				require.Empty(t, w.disk.started())
			})
		})
	}
}

// A call in which the machine detects a bug gets no answer, even if it has made no decision.
func TestBugWithoutFacts(t *testing.T) {
	for name, bug := range map[string]func(*world){
		"machine": func(w *world) { w.err = errors.New("too large") },
		"fact":    func(w *world) { w.Append("?") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(nil)
				err := w.Do(t.Context(), func() { bug(w) })
				require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
				require.EqualError(t, w.stop(), "run machine: too large")
			})
		})
	}
}

// Tick runs after the time that UntilTick returns, however many calls arrive. Facts from before Run
// are in the first batch.
func TestTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := time.Now().Add(time.Second)
		ticks := 0
		w := start(func(w *world) {
			w.Tick = func() { ticks++; next = next.Add(time.Second) }
			w.UntilTick = func() time.Duration { return time.Until(next) }
			w.Append("first")
		})
		w.disk.gate <- nil
		for range 100 {
			require.NoError(t, w.Do(t.Context(), func() {}))
			time.Sleep(100 * time.Millisecond)
		}
		require.NoError(t, w.stop())
		require.InDelta(t, 10, ticks, 1)
		require.Equal(t, []string{"first"}, w.disk.started())
	})
}

// With Sync and Drain, the machine stalls during a write, and the calls that arrive meanwhile
// share the next write.
func TestSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := 0
		w := start(func(w *world) {
			w.Sent = func() { w.Sync(); w.Drain() }
			w.Tick = func() { ticks++ }
		})
		var answered atomic.Int32
		w.asking(t, 1, "a", &answered)
		for i := range 50 {
			w.asking(t, 1, strconv.Itoa(i%10), &answered)
		}
		time.Sleep(time.Hour)
		require.Zero(t, ticks)
		w.disk.gate <- nil
		require.Equal(t, []string{"a", strings.Repeat("0123456789", 5)}, w.disk.started())
		w.disk.gate <- nil
		synctest.Wait()
		require.EqualValues(t, 51, answered.Load())
		require.NoError(t, w.stop())
	})
}
