//go:build integration

package integration

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// A TaskTracker is drained while it runs a task and holds map outputs. What it runs and held runs again elsewhere and nothing counts as
// failed; a JobTracker that is killed meanwhile knows of it; what comes later goes elsewhere, until the drain is called off.
func TestDrainedTaskTracker(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	j := begin(t, c, bin, "trouble.map=wait", "trouble.at=record")
	drained := j.lastMap().Tracker

	ok(t, c.Howdah("admin", "-drainTracker", drained, "delayed"))
	require.Contains(t, c.Howdah("job", "-list-active-trackers").Out, drained+"\tdraining (delayed): ")
	require.Len(t, attempts(t, j.x, "map", "RUNNING"), 1, "what runs goes on")
	c.Kill("jobtracker")
	c.StartAgain("jobtracker")
	minicluster.Eventually(t, time.Minute, "the JobTracker to know of the drain", func() bool {
		return strings.Contains(c.Howdah("job", "-list-active-trackers").Out, drained+"\tdraining (delayed): ")
	})
	ok(t, c.Howdah("admin", "-drainTracker", drained, "immediate"))
	require.Contains(t, ok(t, c.Howdah("admin", "-drainTracker", drained, "wait")).Out, drained+": drained")
	j.open() // not before: a job that ends first needs nothing of the tracker any more
	j.succeeds()
	require.Zero(t, j.count("", "FAILED"))
	for _, a := range attempts(t, j.x, "", "SUCCEEDED") {
		require.NotEqual(t, drained, a.Tracker, a.Id)
	}
	nothingLeft(t, c, j.out)

	ok(t, c.Howdah("admin", "-drainTracker", drained, "off"))
	require.NotContains(t, c.Howdah("job", "-list-active-trackers").Out, "drain")
}
