package hdfs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// search looks for a readable replica of a block. Each ReadAt uses its own search. All Read calls
// on a file share one, so that they retry a failed replica only after the others.
type search struct {
	m     *blockMap
	block uint64          // block that the fields below describe
	bad   map[string]bool // nodes that failed
	round int             // number of times that locations were refetched since the last progress
	why   error           // the last failure
}

// reader is an open replica.
type reader struct {
	*transfer.BlockReader
	block transfer.Located
	node  transfer.DataNode
}

// open opens a reader of up to n bytes at pos. The reader does not go beyond the end of the block.
// open tries replicas until it can open one.
func (s *search) open(ctx context.Context, pos, n int64) (*reader, error) {
	for {
		l, err := s.m.at(ctx, pos, false)
		if err != nil {
			return nil, err
		}
		if l.Block.ID != s.block {
			s.block, s.bad, s.round, s.why = l.Block.ID, nil, 0, nil
		}
		d, ok := s.next(l)
		if !ok {
			if err := s.again(ctx, l, pos); err != nil {
				return nil, err
			}
			continue
		}
		off := pos - l.Offset
		r, err := s.m.fs.data.Read(ctx, l, d, off, min(n, l.Block.Size-off))
		if err == nil {
			return &reader{r, l, d}, nil
		}
		if err := s.blame(ctx, l, d, err); err != nil {
			return nil, err
		}
	}
}

// next returns the nearest node that has not failed in this search. It prefers nodes that have not
// failed recently in other searches.
func (s *search) next(l transfer.Located) (d transfer.DataNode, ok bool) {
	for _, n := range l.Nodes {
		switch {
		case s.bad[n.UUID]:
		case !s.m.fs.slighted.has(n):
			return n, true
		case !ok:
			d, ok = n, true
		}
	}
	return d, ok
}

// blame records that the replica on d failed with why. It reports a damaged replica to the
// NameNode. It returns an error only if ctx has ended.
func (s *search) blame(ctx context.Context, l transfer.Located, d transfer.DataNode, why error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.bad == nil {
		s.bad = map[string]bool{}
	}
	s.bad[d.UUID], s.why = true, fmt.Errorf("DataNode %s:%d: %w", d.Host, d.Port, why)
	fs := s.m.fs
	if !errors.Is(why, transfer.ErrChecksum) {
		var refused *transfer.StatusError
		if !errors.As(why, &refused) {
			fs.slighted.add(d)
		}
		fs.o.Log(fmt.Sprintf("read %s: block %d: %v; trying another replica", s.m.name, l.Block.ID, s.why))
		return nil
	}
	fs.damaged.Add(1)
	fs.o.Log(fmt.Sprintf("read %s: block %d is damaged: %v; trying another replica", s.m.name, l.Block.ID, s.why))
	fs.reportBad(ctx, l, d)
	return nil
}

// reportBad reports a damaged replica to the NameNode, which then creates another one.
func (f *FS) reportBad(ctx context.Context, l transfer.Located, d transfer.DataNode) {
	one := transfer.Located{Block: l.Block, Offset: l.Offset, Token: l.Token}
	for i, n := range l.Nodes {
		if n.UUID != d.UUID {
			continue
		}
		one.Nodes = []transfer.DataNode{n}
		if i < len(l.StorageIDs) && i < len(l.Storages) {
			one.StorageIDs, one.Storages = l.StorageIDs[i:i+1], l.Storages[i:i+1]
		}
	}
	ctx, cancel := context.WithTimeout(ctx, reportLimit)
	defer cancel()
	if err := f.nn.ReportBad(ctx, one); err != nil {
		f.o.Log(fmt.Sprintf("cannot report the damaged replica of block %d on %s: %v", l.Block.ID, d.Host, err))
	}
}

const reportLimit = 10 * time.Second

// again waits and refreshes the locations of a block, all of whose replicas failed. It returns an
// error if it has done so Options.Failures times without progress.
func (s *search) again(ctx context.Context, l transfer.Located, pos int64) error {
	if s.round >= s.m.fs.o.Failures {
		why := s.why
		if why == nil {
			why = errors.New("it has no live replica")
		}
		return failure.New(failure.IO, "read", s.m.name,
			fmt.Errorf("could not obtain block %s (byte %d of the file): %w", describe(l), pos, why)).
			Fix("see hdfs fsck " + s.m.name + " -files -blocks -locations")
	}
	pause := retryWindow << s.round
	s.round++
	if err := lifecycle.Sleep(ctx, pause); err != nil {
		return err
	}
	s.bad = nil
	_, err := s.m.at(ctx, pos, true)
	return err
}

// retryWindow is the first pause before locations are fetched again. Each pause is twice as long as
// the one before.
const retryWindow = time.Second
