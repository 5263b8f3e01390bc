package health

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

func TestHealth(t *testing.T) {
	s := grpc.NewServer()
	serves := true
	Register(s, func() bool { return serves })
	h := &service{s: s, serves: func() bool { return serves }}
	check := func(name string) (string, error) {
		r, err := h.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: name})
		return r.GetStatus().String(), err
	}
	for _, want := range []string{"SERVING", "NOT_SERVING"} {
		for _, name := range []string{"", "grpc.health.v1.Health"} {
			got, err := check(name)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		list, err := h.List(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, want, list.Statuses["grpc.health.v1.Health"].Status.String())
		serves = false
	}
	_, err := check("howdah.client.Jobs")
	require.Equal(t, codes.NotFound, status.Code(err))
}
