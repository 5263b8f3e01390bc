package shuffle

import (
	"context"
	"net"
	"sync"

	"github.com/howdah/howdah/task/sortio"
)

// Result is a reducer's input. It contains the merged records of all maps, ordered by key, map, and
// position in the map's output.
type Result struct {
	*sortio.Merger
	Bytes int64 // size of all records with headers; the share read so far is the reducer's progress
	store *store
}

// Close closes the merger and removes the shuffle's files on the local disk.
func (r *Result) Close() error {
	err := r.Merger.Close()
	r.store.remove()
	return err
}

// Run fetches the reducer's segment of every map's output. It returns when it has verified all
// segments and a single pass can merge the segments and runs that are left. The caller must close
// the result.
//
// Run fails if ctx is canceled, if the local disk fails, or if max(30, maps/10) fetches of one map's
// output fail.
func Run(ctx context.Context, cfg Config) (*Result, error) { return runWith(ctx, cfg, nil) }

func runWith(ctx context.Context, cfg Config, dial func(ctx context.Context, network, addr string) (net.Conn,
	error)) (*Result, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	s := newStore(&cfg)
	var merges sync.WaitGroup
	merges.Go(func() {
		if err := cfg.Guard(func() error { return s.mergeLoop(ctx) }); err != nil {
			s.fail(err)
		}
	})
	err := fetchAll(ctx, &cfg, s, dial)
	s.finish()
	merges.Wait()
	if err == nil {
		res := &Result{store: s}
		err = cfg.Guard(func() (err error) {
			res.Merger, res.Bytes, err = s.result(ctx)
			return err
		})
		if err == nil {
			return res, nil
		}
	}
	s.remove()
	return nil, err
}

// fetchAll fetches every map's segment into the store.
func fetchAll(ctx context.Context, cfg *Config, s *store,
	dial func(ctx context.Context, network, addr string) (net.Conn, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	f := newFetcher(cfg, s, dial)
	var fetches sync.WaitGroup
	err := newPlan(cfg).run(ctx, f, &fetches)
	// Cancel the remaining fetches, which are no longer needed.
	cancel()
	fetches.Wait()
	f.close()
	return err
}
