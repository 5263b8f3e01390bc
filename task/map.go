package task

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// checkEvery is the number of records between checks of the context and updates of the observable
// state.
const checkEvery = 256

// RunMap runs one map attempt. The split's records pass through the mapper into the sorted map
// output or, in a job without reducers, into the output format. If user code panics or returns an
// error that has no kind, RunMap returns an error of kind User. If ctx has ended, the error has the
// kind of the context's cause, or the kind Killed if the cause has none.
func RunMap(ctx context.Context, s *Spec, e *Env) (*Outcome, error) {
	return run(ctx, s, e, (*attempt).runMap)
}

func (a *attempt) runMap() error {
	var progress atomic.Uint32
	a.live.enter(job.PhaseMap, func() float32 { return math.Float32frombits(progress.Load()) })
	a.c.Inc(job.SplitRawBytes, a.spec.Split.HadoopSize(a.conf))

	in, err := a.spec.Job.InputFormat().Open(a.c, a.spec.Split)
	if err != nil {
		return a.fault("open the split", err)
	}
	defer func() {
		if in != nil {
			_ = in.Close() // a failed attempt reports only its first error
		}
	}()
	if err := a.spec.Job.CheckRecords(a.conf, in); err != nil {
		return err
	}
	a.c.SetRecordTypes(a.spec.Job.RecordTypes(a.conf, in))
	if a.spec.Skips != nil {
		kept, err := a.skipping(in)
		if err != nil {
			return err
		}
		in = kept
	}
	sink, err := a.mapSink()
	if err != nil {
		return err
	}
	mapper := a.spec.Job.NewMapper()
	if err := a.setup(mapper, "mapper"); err != nil {
		return err
	}
	counted, err := a.counting(mapper)
	if err != nil {
		return err
	}
	sift(in, counted)
	if err := a.user("map", func() error { return a.mapAll(counted, in, sink, &progress) }); err != nil {
		return err
	}
	if err := a.cleanup(mapper, "mapper", sink); err != nil {
		return err
	}
	err = in.Close()
	in = nil
	if err != nil {
		return a.fault("close the split", err)
	}
	return sink.close()
}

// sift lets the reader leave out records that the mapper ignores. If the job may skip bad records,
// in or m is a wrapper that does not implement the interfaces, so that every record is numbered.
func sift(in mapreduce.RecordReader, m mapreduce.Mapper) {
	r, able := in.(mapreduce.Sifter)
	if s, ok := m.(mapreduce.Selective); ok && able {
		r.Sift(s.Needs())
	}
}

func (a *attempt) mapAll(m mapreduce.Mapper, in mapreduce.RecordReader, out mapreduce.Emitter,
	progress *atomic.Uint32) error {
	for n := int64(1); ; n++ {
		key, value, err := in.Next()
		if err == io.EOF {
			a.c.Inc(job.MapInputRecords, (n-1)%checkEvery)
			return nil
		}
		if err != nil {
			return a.fault("read the split", err)
		}
		if err := m.Map(a.c, key, value, out); err != nil {
			return a.where((n-1)%checkEvery+1, err)
		}
		if n%checkEvery == 0 {
			if a.ctx.Err() != nil {
				return stopped(a.ctx)
			}
			a.c.Inc(job.MapInputRecords, checkEvery)
		}
		if n%checkEvery == 0 || n < checkEvery { // updates more often at first, in case each record takes long
			progress.Store(math.Float32bits(in.Progress()))
		}
	}
}

// where adds the record's number to err if err is about a record that is too large. n is the
// record's number among those that the counter does not yet include.
func (a *attempt) where(n int64, err error) error {
	if !failure.Is(err, failure.RecordTooLarge) {
		return err
	}
	n += a.c.Counters().Builtin[job.MapInputRecords]
	return failure.New(failure.RecordTooLarge, "map record", fmt.Sprintf("%d of %v", n, a.spec.Split), err)
}

// fault classifies err, an error from a format or from storage. If err has no kind, it gets the
// kind IO. Otherwise, fault returns err unchanged. If the attempt's context has ended, fault
// returns the reason for that instead.
func (a *attempt) fault(op string, err error) error {
	if a.ctx.Err() != nil {
		return stopped(a.ctx)
	}
	if k := failure.KindOf(err); k == failure.Unknown {
		return failure.New(failure.IO, op, a.spec.Attempt.String(), err)
	}
	return err
}
