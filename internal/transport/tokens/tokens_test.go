package tokens

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/wire/token"
	"github.com/howdah/howdah/job/failure"
)

// TestLend checks that a user with a Kerberos login gets a token that is no better than the login.
func TestLend(t *testing.T) {
	secret := auth.NewSecret()
	ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), secret)
	require.NoError(t, err)
	s := &server{ledger: ledger}
	end := time.Now().Add(time.Hour).Truncate(time.Second)
	ctx := auth.WithLogin(auth.With(t.Context(), auth.Principal{User: "alice"}), end.Unix())
	for _, r := range []*token.CreateRequest{{Days: 300}, {User: "alice", By: "root"}} {
		got, err := s.Create(ctx, r)
		require.NoError(t, err)
		c, err := secret.Check(got.Text, time.Now())
		require.NoError(t, err)
		require.Equal(t, auth.Principal{User: "alice"}, c.Principal())
		require.Equal(t, end.Unix(), c.Expires)
	}
	require.Empty(t, ledger.List())
	for _, r := range []*token.CreateRequest{{User: "bob"}, {Node: "n1"}, {Admin: true}, {User: "alice", Admin: true}} {
		_, err := s.Create(ctx, r)
		require.True(t, failure.Is(err, failure.Permission), "%v: %v", r, err)
	}
}
