package auth_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

func TestPlace(t *testing.T) {
	for host, want := range map[string]string{"h:1": "h:1", "H.Example.:50030": "h.example:50030", "h": "h", "h:80": "h",
		"h:443": "h", "127.0.0.1:1": "127.0.0.1:1", "[::1]:1": "[::1]:1", "[0:0::1]": "[::1]", "[::1]:80": "[::1]",
		"[::ffff:127.0.0.1]:1": "127.0.0.1:1", "[fe80::1%25eth0]:1": "[fe80::1]:1", "": "", ":1": ":1"} {
		require.Equal(t, want, auth.Place(host), host)
		require.Equal(t, want, auth.Place(want), host)
	}
}

func TestPasses(t *testing.T) {
	s := auth.NewSecret()
	now := time.Unix(1_000_000, 0)
	claims := auth.Claims{User: "alice", Expires: now.Add(time.Hour).Unix()}
	token, id := s.Issue(claims)
	claims.ID = id
	until := now.Add(time.Minute)
	pass, err := auth.Narrow(token, auth.UseLink, "h:1", until)
	require.NoError(t, err)
	require.True(t, auth.IsPass(pass))
	require.False(t, auth.IsPass(token))
	request, err := auth.Narrow(token, auth.UseRequest, "h:1", until)
	require.NoError(t, err)
	require.Equal(t, request, s.Pass(claims, auth.UseRequest, "h:1", until))
	require.NotEqual(t, pass, s.Pass(claims, auth.UseLink, "h:1", until), "each link works once")
	c, end, err := s.CheckPass(pass, auth.UseLink, "h:1", now)
	require.NoError(t, err)
	require.Equal(t, claims, c)
	require.Equal(t, until, end)

	// A pass is good for nothing else.
	for _, use := range []auth.Use{auth.UseRequest, auth.UseSession} {
		_, _, err = s.CheckPass(pass, use, "h:1", now)
		require.ErrorIs(t, err, auth.ErrBadToken)
	}
	_, _, err = s.CheckPass(pass, auth.UseLink, "h:2", now)
	require.ErrorIs(t, err, auth.ErrBadToken)
	_, _, err = auth.NewSecret().CheckPass(pass, auth.UseLink, "h:1", now)
	require.ErrorIs(t, err, auth.ErrBadToken)
	_, err = s.Check(pass, now)
	require.ErrorIs(t, err, auth.ErrBadToken, "a pass is not a token")
	_, _, err = s.CheckPass(token, auth.UseLink, "h:1", now)
	require.ErrorIs(t, err, auth.ErrBadToken, "a token is not a pass")
	_, _, err = s.CheckPass(pass, auth.UseLink, "h:1", until)
	require.ErrorIs(t, err, auth.ErrExpired)
	long, err := auth.Narrow(token, auth.UseLink, "h:1", now.Add(2*time.Hour))
	require.NoError(t, err)
	_, _, err = s.CheckPass(long, auth.UseLink, "h:1", now.Add(time.Hour))
	require.ErrorIs(t, err, auth.ErrExpired, "the token has expired")

	// No other text is the same pass, because links are compared as text.
	for i := range len(pass) {
		for _, x := range []byte{1, 2, 4} {
			b := []byte(pass)
			b[i] ^= x
			_, _, err = s.CheckPass(string(b), auth.UseLink, "h:1", now)
			require.ErrorIs(t, err, auth.ErrBadToken, "%s", b)
		}
	}
	for _, bad := range []string{"", "howdah1p.", "howdah1p...", "howdah1p....", pass + ".",
		pass + strings.Repeat("A", 2000)} {
		_, _, err = s.CheckPass(bad, auth.UseLink, "h:1", now)
		require.ErrorIs(t, err, auth.ErrBadToken, bad)
	}
	_, err = auth.Narrow("nonsense", auth.UseLink, "h:1", until)
	require.ErrorIs(t, err, auth.ErrBadToken)
}

func TestAuthorize(t *testing.T) {
	home(t)
	c := conf.New()
	s, err := auth.Load(c)
	require.NoError(t, err)
	r, err := http.NewRequest(http.MethodGet, "http://h:1/journal", nil)
	require.NoError(t, err)
	require.NoError(t, auth.Authorize(r, c, nil))
	pass := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	claims, _, err := s.CheckPass(pass, auth.UseRequest, "h:1", time.Now())
	require.NoError(t, err)
	require.True(t, claims.Admin)
	_, _, err = s.CheckPass(pass, auth.UseRequest, "h:2", time.Now())
	require.Error(t, err, "the receiver of the request cannot send it to another daemon")
}

func TestRefusal(t *testing.T) {
	require.NoError(t, auth.Refusal("read", "x", &http.Response{StatusCode: http.StatusNotFound}))
	said := io.NopCloser(strings.NewReader("User eve cannot\n"))
	require.ErrorContains(t, auth.Refusal("read", "x", &http.Response{StatusCode: http.StatusForbidden, Body: said}),
		"User eve cannot")
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		require.True(t, failure.Is(auth.Refusal("read", "x", &http.Response{StatusCode: code}), failure.Permission))
	}
}

func FuzzCheckPass(f *testing.F) {
	s := auth.NewSecret()
	now := time.Unix(1_000_000, 0)
	other := auth.NewSecret().Pass(auth.Claims{Admin: true, Expires: 1 << 40}, auth.UseRequest, "h:1", now.Add(time.Hour))
	f.Add(other)
	f.Add("howdah1p.e30.99999999999.AA")
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := s.CheckPass(text, auth.UseRequest, "h:1", now); err == nil {
			t.Fatal("a stranger was admitted")
		}
	})
}

// TestUsersToken checks that clients of a user who cannot read the secret show the token in its default
// place, and that others show the secret.
func TestUsersToken(t *testing.T) {
	home(t)
	none := named(filepath.Join(t.TempDir(), "none"))
	_, err := auth.OwnToken(t.Context(), none, time.Hour, nil)
	require.ErrorContains(t, err, "copy the secret")
	text, _ := auth.NewSecret().Issue(auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	require.NoError(t, os.MkdirAll(filepath.Dir(auth.UsersTokenFile()), 0o700))
	require.NoError(t, os.WriteFile(auth.UsersTokenFile(), []byte(text+"\n"), 0o600))
	own, err := auth.OwnToken(t.Context(), none, time.Hour, nil)
	require.NoError(t, err)
	require.Equal(t, text, own)

	p, err := auth.LoadProof(conf.New(), auth.JobTracker)
	require.NoError(t, err)
	require.False(t, p.Token(), "a user without a configured secret has one of their own")
	short := filepath.Join(t.TempDir(), "short")
	require.NoError(t, os.WriteFile(short, nil, 0o600))
	_, err = auth.LoadProof(named(short), auth.JobTracker)
	require.ErrorContains(t, err, "has 0 bytes", "a damaged secret is not ignored")
	text, _ = auth.NewSecret().Issue(auth.Claims{User: "alice", Expires: time.Now().Add(-time.Hour).Unix()})
	require.NoError(t, os.WriteFile(auth.UsersTokenFile(), []byte(text), 0o600))
	_, err = auth.OwnToken(t.Context(), none, time.Hour, nil)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorIs(t, err, auth.ErrExpired)
	require.NoError(t, os.WriteFile(auth.UsersTokenFile(), []byte("nonsense"), 0o600))
	_, err = auth.LoadProof(none, auth.JobTracker)
	require.ErrorContains(t, err, auth.UsersTokenFile()+": not a token")
}
