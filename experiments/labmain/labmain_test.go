package labmain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
)

// A program is a daemon only if it has parts for it, and real runs start the program itself unless it
// names another one.
func TestDaemons(t *testing.T) {
	schedulers := scenario.Parts{Schedulers: []catalog.Entry{{Name: "mine", New: fifo.New}}}
	weights := scenario.Parts{Weights: []weight.Entry{{Name: "Mine"}}, Manager: "other"}
	estimators := scenario.Parts{Estimators: []orchestrator.Entry{{Name: "mine"}}}
	for _, x := range []struct {
		parts scenario.Parts
		args  []string
		want  string
	}{
		{schedulers, []string{"jobtracker", "--config", "c"}, "jobtracker"},
		{schedulers, []string{"-D", "a=b", "jobtracker"}, "jobtracker"},
		{schedulers, []string{"mrcluster", "manager"}, ""},
		{schedulers, []string{"scenario", "run", "jobtracker"}, ""},
		{schedulers, nil, ""},
		{weights, []string{"mrcluster", "manager", "--config", "c"}, "mrcluster"},
		{weights, []string{"jobtracker"}, ""},
		{weights, []string{"tasktracker"}, ""},
		{estimators, []string{"tasktracker", "--config", "c"}, "tasktracker"},
	} {
		require.Equal(t, x.want, daemon(x.args, &x.parts), x.args)
	}
	require.Equal(t, [3]string{"self", "", ""}, programs(schedulers.With("self")))
	require.Equal(t, [3]string{"", "self", ""}, programs(estimators.With("self")))
	require.Equal(t, [3]string{"", "", "other"}, programs(weights.With("self")))
	weights.Manager = ""
	require.Equal(t, [3]string{"", "", "self"}, programs(weights.With("self")))
}

func programs(p scenario.Parts) [3]string { return [3]string{p.JobTracker, p.TaskTracker, p.Manager} }
