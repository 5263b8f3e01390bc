package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// script is a manager that answers keep-alive calls from a list. It repeats the last answer.
type script struct {
	manager.Manager
	answers []answer
	asked   int
}

type answer struct {
	state      mrcluster.ClusterState
	deployment int64
	err        error
}

func (s *script) Job(context.Context, string, int64) (*status.Cluster, error) {
	a := s.answers[min(s.asked, len(s.answers)-1)]
	s.asked++
	if a.err != nil {
		return nil, a.err
	}
	return cluster(a.state, a.deployment), nil
}

func cluster(state mrcluster.ClusterState, deployment int64) *status.Cluster {
	return &status.Cluster{ClusterView: mrcluster.ClusterView{Spec: mrcluster.Spec{Name: "a"}, State: state,
		Deployment: deployment, LastError: "the master was lost"}}
}

// TestKeepAliveHearsThatTheDeploymentIsGone checks that keepAlive reports an ended deployment as
// gone, whatever happens to the MR-cluster afterward.
func TestKeepAliveHearsThatTheDeploymentIsGone(t *testing.T) {
	notFound := failure.New(failure.NotFound, "run job", "a", nil)
	for _, list := range [][]answer{
		{{state: mrcluster.Active, deployment: 2}, {state: mrcluster.Active, deployment: 3}},
		{{state: mrcluster.Queued, deployment: 2}, {state: mrcluster.Deploying, deployment: 3},
			{state: mrcluster.Active, deployment: 3}},
		{{state: mrcluster.Saving, deployment: 2}, {state: mrcluster.Defined, deployment: 2}},
		{{state: mrcluster.Active, deployment: 2}, {err: notFound}},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := keepAlive(t.Context(), &script{answers: list}, cluster(mrcluster.Active, 2))
			require.True(t, failure.Is(err, failure.Failed), err)
			require.ErrorContains(t, err, "the jobs of its deployment are lost")
		})
	}
}

// TestKeepAliveGoesOn checks that neither an unreachable manager nor an MR-cluster that is being
// saved ends a job.
func TestKeepAliveGoesOn(t *testing.T) {
	away := errors.New("nobody answers")
	for _, list := range [][]answer{
		{{state: mrcluster.Active, deployment: 2}},
		{{state: mrcluster.Saving, deployment: 2}, {state: mrcluster.Active, deployment: 2}},
		{{state: mrcluster.Active, deployment: 2}, {err: away}},
		{{state: mrcluster.Defined, deployment: 2}, {err: away}, {state: mrcluster.Defined, deployment: 2},
			{state: mrcluster.Active, deployment: 2}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 100*lookAgain)
			defer cancel()
			require.NoError(t, keepAlive(ctx, &script{answers: list}, cluster(mrcluster.Active, 2)))
		})
	}
}

// TestRunSaysThatItsJobIsLost checks that the error for a lost job reports the loss and not an
// interruption.
func TestRunSaysThatItsJobIsLost(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	x := &InUse{ctx: ctx}
	require.NoError(t, x.lost())
	cancel(failure.New(failure.Failed, "use MR-cluster", "a", errors.New("the jobs of its deployment are lost")))
	require.ErrorContains(t, x.lost(), "the jobs of its deployment are lost")
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(nil)
	require.NoError(t, (&InUse{ctx: ctx}).lost())
}
