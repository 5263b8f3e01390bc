package cli

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
)

func TestTokenBearer(t *testing.T) {
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	jt, ledger := startIssuer(t)
	bearer := func(hours int, args ...string) auth.Claims {
		code, out, errOut := call(t, append([]string{"token", "-jt", jt, "bearer"}, args...)...)
		require.Zero(t, code, errOut)
		token, end := strings.TrimSpace(out), time.Now().Add(time.Duration(hours)*time.Hour)
		claims, err := secret.Check(token, end.Add(-time.Hour))
		require.NoError(t, err)
		require.True(t, claims.Admin)
		_, err = secret.Check(token, end.Add(time.Hour))
		require.ErrorIs(t, err, auth.ErrExpired)
		return claims
	}
	bearer(24)
	require.Empty(t, ledger.List())
	long := bearer(72, "--days", "3")
	require.Len(t, ledger.List(), 1)
	code, _, errOut := call(t, "token", "-jt", jt, "revoke", long.ID)
	require.Zero(t, code, errOut)
	require.True(t, ledger.Revoked(long.ID), "a token that is valid for long can be revoked")
	for _, days := range []string{"0", "-1", "3651"} {
		code, _, errOut = call(t, "token", "bearer", "--days", days)
		require.Equal(t, 2, code, errOut)
	}
}

func TestTokenLink(t *testing.T) {
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	check := func(page, host, next string) {
		code, out, errOut := call(t, "token", "link", "--url", page)
		require.Zero(t, code, errOut)
		link, err := url.Parse(strings.TrimSpace(out))
		require.NoError(t, err)
		require.Equal(t, host, link.Host)
		require.Equal(t, "/login", link.Path)
		require.Equal(t, next, link.Query().Get("next"))
		_, _, err = secret.CheckPass(link.Query().Get("token"), auth.UseLink, host, time.Now())
		require.NoError(t, err)
	}
	check("http://h:1", "h:1", "")
	check("http://h:1/", "h:1", "")
	check("https://h/jobs/x?a=b", "h", "/jobs/x?a=b")
	for _, bad := range []string{"h:1", "ftp://h:1/", "/jobs", "http://"} {
		code, _, errOut := call(t, "token", "link", "--url", bad)
		require.Equal(t, 2, code, errOut)
	}
	// Without a URL, the page is that of the JobTracker.
	address, _ := startFake(t)
	code, out, errOut := call(t, "token", "-jt", address, "link")
	require.Zero(t, code, errOut)
	require.True(t, strings.HasPrefix(out, "http://h:2/login?token="), out)
	code, _, errOut = call(t, "token")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "howdah token --help")
}
