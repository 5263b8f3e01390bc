package daemon

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mrcluster/provision"
)

type stoppable struct {
	provision.Backend
	stopped, closed int
}

func (b *stoppable) List(context.Context) ([]provision.Node, error) {
	return []provision.Node{{Name: "node-1", Running: true}}, nil
}
func (b *stoppable) Stop(context.Context, string) error { b.stopped++; return nil }
func (b *stoppable) Close(context.Context) error        { b.closed++; return nil }

// TestNodesStayForALaterManager checks that the daemons on the nodes continue to run when a later
// manager takes over the pool.
func TestNodesStayForALaterManager(t *testing.T) {
	in(t, 0, func(w *world) {
		s, err := w.service()
		require.NoError(t, err)
		b := &stoppable{}
		s.cfg.Backend = b
		s.succeeded.Store(true)
		require.NoError(t, s.stopNodes(w.ctx))
		require.Equal(t, []int{0, 1}, []int{b.stopped, b.closed})
		s.succeeded.Store(false)
		require.NoError(t, s.stopNodes(w.ctx))
		require.Equal(t, []int{1, 2}, []int{b.stopped, b.closed})
	})
}
