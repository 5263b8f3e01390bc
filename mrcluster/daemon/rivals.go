package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// rivalsEvery is how often a manager looks for others.
const rivalsEvery = time.Second

// watchRivals ends this manager if there is another one that nodes should obey rather: a later one of the same pool, which must have
// got a copy of the journal, or one of another pool that was here first.
func (m *Manager) watchRivals(ctx context.Context) error {
	for {
		for _, other := range m.gossip.Members() {
			if err := m.identity.yieldTo(other); err != nil && answers(ctx, other) {
				m.succeeded.Store(other.Pool == m.identity.Pool)
				return err
			}
		}
		if lifecycle.Sleep(ctx, rivalsEvery) != nil {
			return nil
		}
	}
}

// yieldTo says why this manager has to give way to a member; nil = it has not.
func (i identity) yieldTo(other gossip.Meta) error {
	if other.Role != gossip.Manager || other.Pool == "" {
		return nil
	}
	const op = "manage pool"
	switch {
	case other.Pool == i.Pool && other.Epoch > i.Incarnation:
		return failure.New(failure.Stale, op, i.Pool, fmt.Errorf("a later manager of it runs at %s, on a copy of this one's directory", other.RPC)).
			Fix("stop that one, remove its directory, and start this one again; what runs goes on meanwhile")
	case other.Pool != i.Pool && (other.Epoch < i.Incarnation || other.Epoch == i.Incarnation && other.Pool < i.Pool):
		return failure.New(failure.Exists, op, i.Pool, errors.New("the nodes that gossip here have a manager at "+other.RPC)).
			Fix("stop that one, or give this one another howdah.gossip.join or howdah.gossip.key.file")
	}
	return nil
}

// answers tells whether a member is there and what it says: gossip remembers the dead for a while.
func answers(ctx context.Context, other gossip.Meta) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := rpc.Dial(other.RPC, rpc.Options{})
	if err != nil {
		return false
	}
	defer conn.Close()
	s, err := pool.NewPoolClient(conn).Status(ctx, &pool.StatusRequest{})
	return err == nil && s.GetPool() == other.Pool && s.GetIncarnation() == other.Epoch
}
