package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// answers of a manager to signs of life, one after the other; the last one stays.
type script struct {
	pool.PoolClient
	answers []answer
	asked   int
}

type answer struct {
	state      string
	deployment int64
	err        error
}

func (s *script) Job(ctx context.Context, r *pool.JobRequest, _ ...grpc.CallOption) (*pool.Cluster, error) {
	a := s.answers[min(s.asked, len(s.answers)-1)]
	s.asked++
	return &pool.Cluster{State: a.state, Deployment: a.deployment, LastError: "its master was lost"}, a.err
}

// Jobs are lost with the deployment that they were sent to, whatever became of the MR-cluster.
func TestKeepAliveHearsThatTheDeploymentIsGone(t *testing.T) {
	notFound := failure.New(failure.NotFound, "run job", "a", nil)
	for _, list := range [][]answer{
		{{state: "active", deployment: 2}, {state: "active", deployment: 3}},
		{{state: "queued", deployment: 2}, {state: "deploying", deployment: 3}, {state: "active", deployment: 3}},
		{{state: "saving", deployment: 2}, {state: "defined", deployment: 2}},
		{{state: "active", deployment: 2}, {err: notFound}},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := keepAlive(t.Context(), &script{answers: list}, &pool.Cluster{Spec: &pool.Spec{Name: "a"}, Deployment: 2})
			require.True(t, failure.Is(err, failure.Failed), err)
			require.ErrorContains(t, err, "its jobs are lost")
		})
	}
}

// A manager that is away, or an MR-cluster that is only saved, is no reason to give up a job.
func TestKeepAliveGoesOn(t *testing.T) {
	away := errors.New("nobody answers")
	for _, list := range [][]answer{
		{{state: "active", deployment: 2}},
		{{state: "saving", deployment: 2}, {state: "active", deployment: 2}},
		{{state: "active", deployment: 2}, {err: away}},
		{{state: "defined", deployment: 2}, {err: away}, {state: "defined", deployment: 2}, {state: "active", deployment: 2}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 100*lookAgain)
			defer cancel()
			require.NoError(t, keepAlive(ctx, &script{answers: list}, &pool.Cluster{Spec: &pool.Spec{Name: "a"}, Deployment: 2}))
		})
	}
}

// Whoever waits for a job hears that it is lost, not that he was interrupted.
func TestRunSaysThatItsJobIsLost(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	x := &InUse{ctx: ctx}
	require.NoError(t, x.lost())
	cancel(failure.New(failure.Failed, "use MR-cluster", "a", errors.New("its jobs are lost")))
	require.ErrorContains(t, x.lost(), "its jobs are lost")
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(nil)
	require.NoError(t, (&InUse{ctx: ctx}).lost())
}
