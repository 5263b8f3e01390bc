package serve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
)

// A TaskTracker uses the estimator that the configuration names, and rejects one that its program does
// not have.
func TestEstimator(t *testing.T) {
	half := func(*orchestrator.Config, orchestrator.Use) int64 { return 500 }
	tracker := TaskTracker{Conf: conf.New(), Estimators: []orchestrator.Entry{{Name: "half", Estimate: half}}}
	e, err := tracker.estimator()
	require.NoError(t, err)
	require.Nil(t, e)
	tracker.Conf.Set(conf.OrchestratorEstimatorOwn.Name, "half", "test")
	e, err = tracker.estimator()
	require.NoError(t, err)
	require.EqualValues(t, 500, e(nil, orchestrator.Use{}))
	tracker.Estimators = nil
	_, err = tracker.estimator()
	require.True(t, failure.Is(err, failure.Config), err)
	require.ErrorContains(t, err, "no such estimator")
}
