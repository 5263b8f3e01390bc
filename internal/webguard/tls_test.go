package webguard

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/port"
)

// TestPagesWithTLS checks that a port with TLS knows the user on its host and logs browsers in with
// cookies that they send only over TLS, and that it refuses connections without TLS.
func TestPagesWithTLS(t *testing.T) {
	secret := auth.NewSecret()
	c := conf.New()
	c.Set(certs.KeyTLS, "auto", "test")
	secure, err := certs.Open(c, secret, certs.Holder{Roles: []certs.Role{certs.JobTracker}})
	require.NoError(t, err)
	g := New(secret)
	g.TLS = secure
	l, err := port.Listen("pages", "127.0.0.1:0", port.Half)
	require.NoError(t, err)
	routes := http.NewServeMux()
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, auth.From(r.Context()).String())
	})
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- g.Serve(ctx, l, routes) }()
	defer func() {
		cancel()
		<-done
		require.Empty(t, logged.String(), "strangers cannot fill the log")
	}()
	base := "https://" + l.Addr().String()
	get := func(u string, bearer string) (*http.Response, string) {
		r, err := http.NewRequest(http.MethodGet, u, nil)
		require.NoError(t, err)
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		answer, err := secure.HTTP(certs.JobTracker).Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer, string(text)
	}
	_, body := get(base+"/", "")
	if peerFound := strings.Contains(body, "administrator"); !peerFound {
		require.Contains(t, body, "does not know", "only Linux knows the user at the other end")
	}
	token, _ := secret.Issue(auth.Claims{Admin: true, Expires: 1 << 40})
	_, body = get(base+"/", token)
	require.Equal(t, "an administrator", body)

	page, err := url.Parse(base + "/")
	require.NoError(t, err)
	link, err := Link(page, token)
	require.NoError(t, err)
	answer, _ := get(link.String(), "")
	require.Len(t, answer.Cookies(), 1)
	require.True(t, answer.Cookies()[0].Secure)

	plain, err := http.Get("http://" + l.Addr().String() + "/healthz")
	require.NoError(t, err)
	plain.Body.Close()
	require.Equal(t, http.StatusBadRequest, plain.StatusCode)
	_, err = secure.HTTP(certs.TaskTracker("n1")).Get(base + "/healthz")
	require.ErrorIs(t, err, certs.ErrRole)
}
