package auth_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

func in(d time.Duration) int64 { return time.Now().Add(d).Unix() }

func TestLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, file := auth.NewSecret(), filepath.Join(t.TempDir(), "tokens")
		l, err := auth.OpenLedger(file, s)
		require.NoError(t, err)
		text, err := l.Issue(auth.Claims{User: "alice", Expires: in(time.Hour)}, "root")
		require.NoError(t, err)
		c, err := s.Check(text, time.Now())
		require.NoError(t, err)
		time.Sleep(time.Second)
		_, err = l.Issue(auth.Claims{Node: "n1", Expires: in(48 * time.Hour)}, "root")
		require.NoError(t, err)
		require.False(t, l.Revoked(c.ID))
		require.NoError(t, l.Revoke(auth.Claims{ID: c.ID}))
		require.NoError(t, l.Revoke(auth.Claims{ID: c.ID}), "again")
		require.True(t, l.Revoked(c.ID))
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())

		again, err := auth.OpenLedger(file, s)
		require.NoError(t, err)
		require.True(t, again.Revoked(c.ID))
		require.Equal(t, l.List(), again.List())
		require.Equal(t, "alice", again.List()[0].User)
		require.NotZero(t, again.List()[0].Revoked)
		require.Equal(t, "root", again.List()[1].By)
		require.Zero(t, again.List()[1].Revoked)

		time.Sleep(2 * time.Hour)
		require.Len(t, again.List(), 1, "expired tokens need no place")
	})
}

// TestRevokedAfter checks that a caller can learn all revoked tokens in parts.
func TestRevokedAfter(t *testing.T) {
	file, s := filepath.Join(t.TempDir(), "tokens"), auth.NewSecret()
	l, err := auth.OpenLedger(file, s)
	require.NoError(t, err)
	ids := []string{"000000000000000c", "000000000000000a", "000000000000000b"}
	for i, id := range append(ids, ids[0]) {
		require.NoError(t, l.Revoke(auth.Claims{ID: id, User: "alice", Expires: in(time.Hour)}))
		require.Len(t, l.RevokedAfter(0, 9), min(i+1, 3))
	}
	for range 2 {
		require.Equal(t, ids, l.RevokedAfter(0, 3))
		require.Equal(t, ids[:2], l.RevokedAfter(0, 2))
		require.Equal(t, ids[1:], l.RevokedAfter(1, 2))
		require.Empty(t, l.RevokedAfter(3, 2))
		require.Empty(t, l.RevokedAfter(1<<32-1, 2))
		l, err = auth.OpenLedger(file, s)
		require.NoError(t, err)
	}
}

// TestRevokeOthers revokes a token that another daemon issued.
func TestRevokeOthers(t *testing.T) {
	l, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), auth.NewSecret())
	require.NoError(t, err)
	other := auth.Claims{ID: "0123456789abcdef", User: "alice", Expires: in(time.Hour)}
	require.True(t, failure.Is(l.Revoke(auth.Claims{ID: other.ID}), failure.NotFound))
	require.NoError(t, l.Revoke(other))
	require.True(t, l.Revoked(other.ID))
	require.True(t, failure.Is(l.Revoke(auth.Claims{ID: "nonsense"}), failure.Usage))
}

func TestBadIssues(t *testing.T) {
	l, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), auth.NewSecret())
	require.NoError(t, err)
	hour := in(time.Hour)
	for _, c := range []auth.Claims{
		{Expires: hour}, {User: "a", Node: "b", Expires: hour}, {User: "a"}, {User: "a b", Expires: hour},
		{User: "a", Expires: in((auth.MaxDays + 1) * 24 * time.Hour)},
		{Node: string(bytes.Repeat([]byte("n"), 300)), Expires: hour},
	} {
		_, err := l.Issue(c, "")
		require.True(t, failure.Is(err, failure.Usage), "%v: %v", c, err)
	}
	require.Empty(t, l.List())
}

// TestMissingLedger checks that a ledger that was lost does not make revoked tokens valid again. A new
// secret voids all tokens, and versions without marks left no file if they issued no token.
func TestMissingLedger(t *testing.T) {
	s, file := auth.NewSecret(), filepath.Join(t.TempDir(), "tokens")
	open := func(s *auth.Secret) error {
		_, err := auth.OpenLedger(file, s)
		return err
	}
	require.NoError(t, open(s))
	require.FileExists(t, file)
	require.NoError(t, open(s))
	require.NoError(t, os.Remove(file))
	err := open(s)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	require.ErrorContains(t, err, "restore the file from a copy; or replace the secret")
	require.NoFileExists(t, file)

	other := auth.NewSecret()
	require.NoError(t, open(other))
	require.NoError(t, os.Remove(file))
	require.Error(t, open(other))

	require.NoError(t, os.Remove(file+".mark"))
	require.NoError(t, open(s), "an upgrade")
	require.NoError(t, os.Remove(file+".mark"))
	require.NoError(t, open(s), "an upgrade with tokens")
	require.NoError(t, os.Remove(file))
	require.Error(t, open(s))
}

// TestDamagedLedger checks that no flipped byte makes a revoked token count again.
func TestDamagedLedger(t *testing.T) {
	s, file := auth.NewSecret(), filepath.Join(t.TempDir(), "tokens")
	l, err := auth.OpenLedger(file, s)
	require.NoError(t, err)
	require.NoError(t, l.Revoke(auth.Claims{ID: "0123456789abcdef", User: "alice", Expires: in(time.Hour)}))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	damaged := [][]byte{nil, whole[:len(whole)/2], append(bytes.Clone(whole), whole...)}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 1
		damaged = append(damaged, b)
	}
	for _, b := range damaged {
		require.NoError(t, os.WriteFile(file, b, 0o600))
		_, err := auth.OpenLedger(file, s)
		require.True(t, failure.Is(err, failure.Corrupt), "%v: %q", err, b)
	}
}
