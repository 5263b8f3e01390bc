package labmain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
)

// A program is a daemon only if it has parts for it, and real runs start the program itself unless it
// names another one.
func TestDaemons(t *testing.T) {
	schedulers := scenario.Parts{Schedulers: []catalog.Entry{{Name: "mine", New: fifo.New}}}
	weights := scenario.Parts{Weights: []weight.Entry{{Name: "Mine"}}, Manager: "other"}
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
	} {
		require.Equal(t, x.want, daemon(x.args, &x.parts), x.args)
	}
	require.Equal(t, [2]string{"self", ""}, programs(schedulers.With("self")))
	require.Equal(t, [2]string{"", "other"}, programs(weights.With("self")))
	weights.Manager = ""
	require.Equal(t, [2]string{"", "self"}, programs(weights.With("self")))
}

func programs(p scenario.Parts) [2]string { return [2]string{p.JobTracker, p.Manager} }
