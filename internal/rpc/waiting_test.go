package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

// TestUsersLeavePlacesToNodes checks that users' requests cannot take all places where requests wait
// for memory.
func TestUsersLeavePlacesToNodes(t *testing.T) {
	user, node := auth.Principal{User: "ann"}, auth.Principal{Node: "n1"}
	for _, c := range []struct {
		p    auth.Principal
		most int32
	}{{user, maxOthers}, {auth.Principal{}, maxOthers}, {node, maxWaiting}, {auth.Principal{Admin: true}, maxWaiting}} {
		b := newBudget(1, 1)
		b.waiting.Store(c.most - 1)
		ctx := auth.With(t.Context(), c.p)
		leave, err := b.enter(ctx)
		require.NoError(t, err, c.p)
		leave(0)
		b.waiting.Store(c.most)
		_, err = b.enter(ctx)
		require.True(t, failure.Is(err, failure.Limit), "%v: %v", c.p, err)
		require.Equal(t, c.most, b.waiting.Load())
	}
}
