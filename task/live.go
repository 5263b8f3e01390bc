package task

import (
	"math"
	"sync/atomic"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Live is the observable state of a running attempt. It serves a single attempt and is safe for
// concurrent use. The zero value is ready for use.
type Live struct {
	ctx         atomic.Pointer[mapreduce.Context]
	phase       atomic.Uint32
	share       atomic.Pointer[func() float32] // progress within the phase, from 0 to 1
	shuffleDone atomic.Int64
	sortDone    atomic.Int64
	usage       atomic.Pointer[func() Usage]
	files       atomic.Pointer[dfs.CountingResolver]
	ownWork     atomic.Bool   // own is running, so the attempt counts as alive while it waits for maps or merges
	looks       atomic.Uint64 // number of View calls while own runs
}

// View is a snapshot of an attempt's state.
type View struct {
	Phase       job.Phase
	Millionths  int32 // progress of the whole attempt
	Counters    *job.Counters
	Status      string
	Beats       uint64 // increases with every sign of life that the counters do not show
	ShuffleDone int64  // in ms since the epoch; 0 if not yet
	SortDone    int64
}

// View returns the attempt's current state. Before the attempt starts, the counters are empty.
func (l *Live) View() View {
	v := View{Phase: job.Phase(l.phase.Load()), ShuffleDone: l.shuffleDone.Load(), SortDone: l.sortDone.Load()}
	c := l.ctx.Load()
	if c == nil {
		v.Counters = &job.Counters{}
		return v
	}
	v.Millionths = l.millionths(v.Phase)
	if u := l.usage.Load(); u != nil {
		(*u)().store(c)
	}
	if l.ownWork.Load() {
		l.looks.Add(1)
	}
	v.Counters, v.Status, v.Beats = c.Counters(), c.Status(), c.Beats()+l.looks.Load()
	if f := l.files.Load(); f != nil {
		addFiles(v.Counters, f)
	}
	return v
}

// own runs f, which must not call the mapper, reducer, or combiner. Until f returns, each View call
// counts as a sign of life.
func (l *Live) own(f func() error) error {
	l.ownWork.Store(true)
	defer l.ownWork.Store(false)
	return f()
}

// Millionths returns the progress of the whole attempt, in millionths.
func (l *Live) Millionths() int32 { return l.millionths(job.Phase(l.phase.Load())) }

// millionths returns the progress, in millionths, of an attempt that is in phase p. It weights the
// phases as Hadoop does: a reducer's shuffle, sort, and reduce account for a third each.
func (l *Live) millionths(p job.Phase) int32 {
	share := 0.0
	if f := l.share.Load(); f != nil {
		share = min(max(float64((*f)()), 0), 1)
	}
	if math.IsNaN(share) {
		share = 0
	}
	switch p {
	case job.PhaseMap:
	case job.PhaseShuffle:
		share /= 3
	case job.PhaseSort:
		share = (1 + share) / 3
	case job.PhaseReduce:
		share = (2 + share) / 3
	case job.PhaseCleanup:
		share = 1
	default:
		share = 0
	}
	return int32(share * 1e6)
}

// enter starts phase p. share returns the phase's progress, from 0 to 1, and must be safe for
// concurrent use.
func (l *Live) enter(p job.Phase, share func() float32) {
	l.share.Store(&share)
	l.phase.Store(uint32(p))
}

func nothing() float32 { return 0 }
