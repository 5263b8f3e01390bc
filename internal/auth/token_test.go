package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
)

func TestTokens(t *testing.T) {
	s := auth.NewSecret()
	now := time.Unix(1_000_000, 0)
	text, id := s.Issue(auth.Claims{User: "alice", Expires: now.Add(time.Hour).Unix()})
	c, err := s.Check(text, now)
	require.NoError(t, err)
	require.Equal(t, auth.Claims{ID: id, User: "alice", Expires: now.Add(time.Hour).Unix()}, c)
	require.Equal(t, auth.Principal{User: "alice"}, c.Principal())

	_, err = s.Check(text, now.Add(time.Hour))
	require.ErrorIs(t, err, auth.ErrExpired)
	_, err = auth.NewSecret().Check(text, now)
	require.ErrorIs(t, err, auth.ErrBadToken)
	for i := range len(text) - 1 { // the last character holds unused bits
		b := []byte(text)
		b[i] ^= 1
		_, err = s.Check(string(b), now)
		require.ErrorIs(t, err, auth.ErrBadToken, "%s", b)
	}
	for _, bad := range []string{"", "howdah1.", "howdah1..", text + strings.Repeat("A", 2000)} {
		_, err = s.Check(bad, now)
		require.ErrorIs(t, err, auth.ErrBadToken, bad)
	}
}

func TestClaimsOfOneHolder(t *testing.T) {
	s := auth.NewSecret()
	for _, c := range []auth.Claims{{}, {User: "alice", Node: "n1"}, {User: "alice", Admin: true}} {
		c.Expires = time.Now().Add(time.Hour).Unix()
		text, _ := s.Issue(c)
		_, err := s.Check(text, time.Now())
		require.ErrorIs(t, err, auth.ErrBadToken)
		_, err = auth.ParseToken(text, "")
		require.ErrorIs(t, err, auth.ErrBadToken)
	}
}
