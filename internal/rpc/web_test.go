package rpc

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos/kerberostest"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/wire/token"
	"github.com/howdah/howdah/job/failure"
)

// lender is a connection to a daemon that lends a token.
type lender struct {
	grpc.ClientConnInterface
	text string
	lent int
}

func (l *lender) Invoke(_ context.Context, _ string, _, reply any, _ ...grpc.CallOption) error {
	l.lent++
	reply.(*token.CreateReply).Text = l.text
	return nil
}

// TestWebLendsToken checks that a user with a Kerberos login borrows a token, and that a request shows
// only a pass that is made from it.
func TestWebLendsToken(t *testing.T) {
	s := kerberostest.New(t, "alice")
	c := conf.New()
	for k, v := range map[string]string{"hadoop.security.authentication": "kerberos",
		"mapreduce.jobtracker.kerberos.principal": "jt/_HOST", "howdah.security.kerberos.principal": "alice",
		"howdah.security.kerberos.keytab": s.Keytab} {
		c.Set(k, v, "test")
	}
	secret := auth.NewSecret()
	text, _ := secret.Issue(auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	proof := ""
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		proof = r.Header.Get("Authorization")
	}))
	t.Cleanup(web.Close)
	ask := func() (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL, nil)
		require.NoError(t, err)
		conn := &lender{text: text}
		answer, err := NewWeb(c, nil, conn).Do(r, certs.JobTracker, "read", "page", "start it")
		require.Equal(t, 1, conn.lent)
		return answer, err
	}
	answer, err := ask()
	require.NoError(t, err)
	answer.Body.Close()
	pass := strings.TrimPrefix(proof, "Bearer ")
	require.True(t, auth.IsPass(pass), proof)
	claims, _, err := secret.CheckPass(pass, auth.UseRequest, auth.Place(web.Listener.Addr().String()), time.Now())
	require.NoError(t, err)
	require.Equal(t, "alice", claims.User)

	web.Close()
	_, err = ask() //nolint:bodyclose // there is no answer
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "start it")
}

// TestWebFindsIssuerLate checks that a command that needs no token connects to no daemon.
func TestWebFindsIssuerLate(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(web.Close)
	found := 0
	w, err := FindWeb(conf.New(), func(*conf.Config) (string, certs.Role, error) {
		found++
		return "", "", failure.New(failure.Config, "find", "", nil)
	})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL, nil)
	require.NoError(t, err)
	answer, err := w.Do(r, certs.JobTracker, "read", "page", "")
	require.NoError(t, err)
	answer.Body.Close()
	require.Zero(t, found)
	_, err = w.Lend(t.Context())
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.Equal(t, 1, found)
}
