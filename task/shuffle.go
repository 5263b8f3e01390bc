package task

import (
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task/shuffle"
)

// MapOutputs configures how a reducer accesses map outputs.
type MapOutputs struct {
	Events      <-chan shuffle.Completion // in the order of the job's list
	Token       []byte                    // the job's token
	LocalAddr   string                    // server address; the reducer opens that server's files below LocalRoot directly
	LocalRoot   string
	Cache       *shuffle.Cache                // the process's open files below LocalRoot or of Own; nil means none
	Own         *shuffle.Outputs              // outputs of the maps in this process, at LocalAddr; nil means none
	TLS         *certs.TLS                    // verifies the servers; nil means no TLS
	FetchFailed func(mapIndex, attempt int32) // called when an output is unavailable; can be nil
}

// shuffle fetches and merges the map outputs. This work counts as the first two thirds of the
// attempt's progress.
func (a *attempt) shuffle() (*shuffle.Result, error) {
	var done atomic.Int64
	maps := a.spec.Maps
	a.live.enter(job.PhaseShuffle, func() float32 {
		if maps == 0 {
			return 1
		}
		return float32(done.Load()) / float32(maps)
	})
	cfg, err := a.shuffleConfig()
	if err != nil {
		return nil, err
	}
	cfg.Progress = func(n, of int) {
		done.Store(int64(n))
		if n == of {
			a.live.shuffleDone.Store(time.Now().UnixMilli())
			a.live.enter(job.PhaseSort, nothing)
		}
	}
	var in *shuffle.Result
	err = a.live.own(func() (err error) {
		in, err = shuffle.Run(a.ctx, *cfg)
		return err
	})
	if err != nil {
		return nil, a.fault("shuffle", err)
	}
	now := time.Now().UnixMilli()
	a.live.shuffleDone.CompareAndSwap(0, now)
	a.live.sortDone.Store(now)
	return in, nil
}

func (a *attempt) shuffleConfig() (*shuffle.Config, error) {
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	s, from := a.spec, &a.env.MapOutputs
	cfg, err := shuffleSettings(a.conf, budget-from.Own.Share())
	if err != nil {
		return nil, err
	}
	cfg.MaxRecord = budget
	cfg.Job, cfg.Reduce, cfg.Maps = s.Attempt.Job, s.Attempt.Index, int32(s.Maps)
	cfg.Token, cfg.Events, cfg.FetchFailed = from.Token, from.Events, from.FetchFailed
	cfg.LocalAddr, cfg.LocalRoot, cfg.Cache = from.LocalAddr, from.LocalRoot, from.Cache
	cfg.Outputs, cfg.TLS = from.Own, from.TLS
	cfg.Guard = func(f func() error) error { return guard(a.env, "merge of map outputs", f) }
	cfg.Log = a.env.Note
	cfg.Cmp, cfg.Dir, cfg.Counters = s.Job.Comparator(a.conf), s.WorkDir, a.c
	return cfg, nil
}
