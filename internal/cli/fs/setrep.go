package fs

import (
	"math"
	"strconv"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/lifecycle"
)

// replicaPause is the time that -setrep -w waits between two checks.
const replicaPause = 10 * time.Second

func setrep(s *shell, o options, args []string) error {
	n, err := s.number(args[0], "Illegal replication, a positive integer expected")
	switch {
	case err != nil:
		return err
	case n < 1:
		return usageError("replication must be >= 1")
	case n > math.MaxInt16:
		return usagef("Value out of range. Value:\"%s\" Radix:10", args[0])
	}
	replicas := int(n)
	var changed []*item
	s.each(args[1:], func(i *item) error {
		return s.tree(options{"R": ""}, i, func(i *item) error {
			if i.dir() {
				return nil
			}
			if err := i.fs.SetMeta(s.ctx, i.path, dfs.Meta{Replication: &replicas}); err != nil {
				return explain(i.shown, err)
			}
			s.printf("Replication %d set: %s\n", replicas, i.shown)
			changed = append(changed, i)
			return nil
		})
	})
	if !o.has("w") {
		return nil
	}
	for _, i := range changed {
		if err := s.awaitReplicas(i, replicas); err != nil {
			return err
		}
	}
	return nil
}

// number parses a number. For an invalid number it prints a warning and returns a usage error, as
// Hadoop does.
func (s *shell) number(text, warning string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		s.complain("%s: %s", s.name, warning)
		return 0, usagef("For input string: %q", text)
	}
	return n, nil
}

// awaitReplicas waits until every block of a file has the given number of replicas.
func (s *shell) awaitReplicas(i *item, n int) error {
	s.printf("Waiting for %s ...", i.shown)
	warned := false
	for {
		blocks, err := i.fs.Locations(s.ctx, i.path, 0, i.info.Size)
		if err != nil {
			return explain(i.shown, err)
		}
		done := true
		for _, b := range blocks {
			if len(b.Hosts) == n {
				continue
			}
			if done = false; len(b.Hosts) > n && !warned {
				s.printf("\nWARNING: the waiting time may be long for DECREASING the number of replications.\n")
				warned = true
			}
			break
		}
		if done {
			s.printf(" done\n")
			return nil
		}
		s.printf(".")
		if s.out.Flush() != nil || lifecycle.Sleep(s.ctx, replicaPause) != nil {
			return s.ctx.Err()
		}
	}
}
