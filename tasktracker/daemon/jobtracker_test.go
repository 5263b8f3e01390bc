package daemon

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/job/failure"
)

// TestNodesAskWhoVisits checks that a node with a token gets to know the holders of other tokens from the
// JobTracker, and that a stranger learns nothing of the JobTracker.
func TestNodesAskWhoVisits(t *testing.T) {
	secret := rpctest.Options(t).Secret
	ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), secret)
	require.NoError(t, err)
	addr := rpctest.Serve(t, func(s grpc.ServiceRegistrar) { tokens.Register(s, ledger, nil) })
	end := time.Now().Add(time.Hour).Truncate(time.Second)
	token := func(c auth.Claims) string {
		c.Expires = end.Unix()
		text, _ := secret.Issue(c)
		return text
	}
	ask := func(c auth.Claims, text string) (auth.Claims, time.Time, error) {
		proof, err := auth.ParseToken(token(c), "the file")
		require.NoError(t, err)
		j := jobTracker{find: func(context.Context) (string, error) { return addr, nil }, options: rpc.Options{Proof: proof}}
		defer j.close()
		return j.checkWeb(t.Context(), text, auth.UseRequest, "n1:50060")
	}
	node, alice := auth.Claims{Node: "n1"}, auth.Claims{User: "alice"}
	c, until, err := ask(node, token(alice))
	require.NoError(t, err)
	require.Equal(t, auth.Principal{User: "alice"}, c.Principal())
	require.Equal(t, end, until)
	_, _, err = ask(node, "nonsense")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, auth.ErrBadToken.Error())
	_, _, err = ask(alice, token(alice))
	require.ErrorContains(t, err, "may not make this call", "only nodes may ask")
	addr = "127.0.0.1:1"
	_, _, err = ask(node, token(alice))
	require.EqualError(t, err, "the JobTracker, which checks tokens for this node, does not answer")
}
