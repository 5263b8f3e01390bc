package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// rivalsEvery is the interval at which a manager looks for other managers.
const rivalsEvery = time.Second

// watchRivals returns an error, which ends this manager, if nodes should obey a different manager.
// Such a manager is either a later manager of the same pool, running on a copy of the journal, or
// an earlier manager of a different pool.
func (m *Manager) watchRivals(ctx context.Context) error {
	for {
		for _, other := range m.gossip.Members() {
			if err := m.identity.yieldTo(other); err != nil && m.answers(ctx, other) {
				m.succeeded.Store(other.Pool == m.identity.Pool)
				return err
			}
		}
		if lifecycle.Sleep(ctx, rivalsEvery) != nil {
			return nil
		}
	}
}

// yieldTo returns an error if this manager must yield to a member.
func (i identity) yieldTo(other gossip.Meta) error {
	if other.Role != gossip.Manager || other.Pool == "" {
		return nil
	}
	const op = "manage pool"
	switch {
	case other.Pool == i.Pool && other.Epoch > i.Incarnation:
		return failure.New(failure.Stale, op, i.Pool,
			fmt.Errorf("a later manager of this pool runs at %s on a copy of this manager's directory", other.RPC)).
			Fix("stop the other manager, remove its directory, and restart this one; running jobs continue")
	case other.Pool != i.Pool && (other.Epoch < i.Incarnation || other.Epoch == i.Incarnation && other.Pool < i.Pool):
		return failure.New(failure.Exists, op, i.Pool,
			errors.New("the members of this gossip already have a manager at "+other.RPC)).
			Fix("stop the other manager, or set another howdah.gossip.join or howdah.security.secret.file for this one")
	}
	return nil
}

// answers reports whether a member is alive and confirms its gossip entry. Gossip lists dead
// members for a while.
func (m *Manager) answers(ctx context.Context, other gossip.Meta) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := rpc.Dial(other.RPC, rpc.Options{Secret: m.cfg.Secret, TLS: m.cfg.TLS, Server: certs.Manager})
	if err != nil {
		return false
	}
	defer conn.Close()
	s, err := pool.NewPoolClient(conn).Status(ctx, &pool.StatusRequest{})
	return err == nil && s.GetPool() == other.Pool && s.GetIncarnation() == other.Epoch
}
