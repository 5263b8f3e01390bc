package shuffle

import (
	"context"
	"net"
	"sync"

	"github.com/howdah/howdah/sortio"
)

// Result is a reducer's input: the merged records of all maps, ordered by key, map, position in the map's output.
type Result struct {
	*sortio.Merger
	Bytes int64 // of all records with their heads: what a reducer has read of it tells its progress
	store *store
}

// Close removes what the shuffle left on the local disk.
func (r *Result) Close() error {
	err := r.Merger.Close()
	r.store.remove()
	return err
}

// Run fetches the reducer's segment of every map and returns when all of them are here, verified and merged so far that
// the rest can be read in one go. It fails when ctx ends, when the local disk fails, and when one map's output could not be
// had in max(30, maps/10) attempts. Close the result.
func Run(ctx context.Context, cfg Config) (*Result, error) { return runWith(ctx, cfg, nil) }

func runWith(ctx context.Context, cfg Config, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (*Result, error) {
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

// fetchAll brings every map's segment into the store.
func fetchAll(ctx context.Context, cfg *Config, s *store, dial func(ctx context.Context, network, addr string) (net.Conn, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	f := newFetcher(cfg, s, dial)
	var fetches sync.WaitGroup
	err := newPlan(cfg).run(ctx, f, &fetches)
	// What is still under way is not needed any more.
	cancel()
	fetches.Wait()
	f.close()
	return err
}
