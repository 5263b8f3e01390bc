package dfstest

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

// createRace checks that exactly one of many concurrent calls that create the same file succeeds.
func (s *suite) createRace() {
	for round := range 20 {
		var winners, others atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				w, err := s.fs.Create(s.ctx, s.path(fmt.Sprintf("new%d/f", round)), dfs.CreateOptions{})
				switch {
				case err == nil:
					winners.Add(1)
					w.Close()
				case failure.Is(err, failure.Exists):
					others.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(s.t, 1, winners.Load())
		require.EqualValues(s.t, 7, others.Load())
	}
}

// renameRace checks that exactly one of many concurrent renames to the same name succeeds, and that
// no file is lost.
func (s *suite) renameRace() {
	const n = 8
	for round := range 20 {
		var winner atomic.Int32
		var wins atomic.Int32
		for i := range n {
			s.write(fmt.Sprintf("%d/from%d", round, i), fmt.Sprint(i))
		}
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				err := s.fs.Rename(s.ctx, s.path(fmt.Sprintf("%d/from%d", round, i)), s.path(fmt.Sprintf("%d/to", round)))
				if err == nil {
					winner.Store(int32(i))
					wins.Add(1)
				} else if !failure.Is(err, failure.Exists) {
					s.t.Error(err)
				}
			})
		}
		wg.Wait()
		require.EqualValues(s.t, 1, wins.Load())
		require.Equal(s.t, fmt.Sprint(winner.Load()), s.read(fmt.Sprintf("%d/to", round)))
		require.Len(s.t, s.names(fmt.Sprint(round)), n)
	}
}

func (s *suite) concurrentUse() {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				name := s.path(fmt.Sprintf("shared/%d-%d", g, i))
				if err := s.cycle(name); err != nil {
					s.t.Errorf("%s: %v", name, err)
				}
				s.fs.List(s.ctx, s.path("shared"))
			}
		})
	}
	wg.Wait()
	require.Empty(s.t, s.names("shared"))
}

func (s *suite) cycle(name string) error {
	w, err := s.fs.Create(s.ctx, name, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	io.WriteString(w, name)
	if err := w.Close(); err != nil {
		return err
	}
	if err := s.fs.Rename(s.ctx, name, name+".moved"); err != nil {
		return err
	}
	f, err := s.fs.Open(s.ctx, name+".moved")
	if err != nil {
		return err
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != name {
		return fmt.Errorf("read %q, %v", b, err)
	}
	return s.fs.Delete(s.ctx, name+".moved", false)
}
