package daemon

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/webguard"
	wire "github.com/howdah/howdah/internal/wire/tracker"
)

// TestRevokedVisitors checks that the pages refuse a token once the JobTracker has told of its revocation.
func TestRevokedVisitors(t *testing.T) {
	secret := auth.NewSecret()
	c := startCluster(t, func(cfg *Config) { cfg.Guard = webguard.New(secret) })
	token, id := secret.Issue(auth.Claims{User: "ann", Expires: time.Now().Add(time.Hour).Unix()})
	visit := func() int {
		r, err := http.NewRequest(http.MethodGet, "http://"+c.d.Addr()+"/tasklog", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusBadRequest, visit(), "the request names no attempt")
	c.jt.mu.Lock()
	c.jt.desired.Revoked, c.jt.desired.Revocations = []string{id}, 1
	c.jt.mu.Unlock()
	c.jt.want(nil)
	c.jt.await(t, "the number of revocations", func() bool {
		return slices.ContainsFunc(c.jt.reports, func(r *wire.Report) bool { return r.Revocations == 1 })
	})
	require.Equal(t, http.StatusUnauthorized, visit())
}

func TestRevokedOfAnotherEpoch(t *testing.T) {
	var v revoked
	require.False(t, v.has("a"))
	v.add(&wire.Desired{Epoch: 1, Revoked: []string{"a"}, Revocations: 1})
	v.add(&wire.Desired{Epoch: 1, Revocations: 1})
	require.EqualValues(t, 1, v.known(1))
	require.Zero(t, v.known(2), "the JobTracker has restarted")
	v.add(&wire.Desired{Epoch: 2, Revoked: []string{"b"}, Revocations: 7})
	require.EqualValues(t, 7, v.known(2))
	require.True(t, v.has("a") && v.has("b"))
}
