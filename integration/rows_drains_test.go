//go:build integration

package integration

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// A TaskTracker drains while it runs a task and holds map outputs. Its running task and its finished
// maps run again elsewhere, and no attempt counts as failed. A JobTracker that restarts meanwhile
// remembers the drain. New tasks run elsewhere until the drain is canceled.
func TestDrainedTaskTracker(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	j := begin(t, c, bin, "trouble.map=wait", "trouble.at=record")
	drained := j.lastMap().Tracker

	ok(t, c.Howdah("admin", "-drainTracker", drained, "delayed"))
	require.Contains(t, c.Howdah("job", "-list-active-trackers").Out, drained+"\tdraining (delayed): ")
	require.Len(t, attempts(t, j.x, "map", "RUNNING"), 1, "the running task continues")
	c.Kill("jobtracker")
	c.StartAgain("jobtracker")
	minicluster.Eventually(t, time.Minute, "the JobTracker to know of the drain", func() bool {
		return strings.Contains(c.Howdah("job", "-list-active-trackers").Out, drained+"\tdraining (delayed): ")
	})
	ok(t, c.Howdah("admin", "-drainTracker", drained, "immediate"))
	require.Contains(t, ok(t, c.Howdah("admin", "-drainTracker", drained, "wait")).Out, drained+": drained")
	j.open() // not earlier: a finished job needs no data from the tracker
	j.succeeds()
	require.Zero(t, j.count("", "FAILED"))
	for _, a := range attempts(t, j.x, "", "SUCCEEDED") {
		require.NotEqual(t, drained, a.Tracker, a.ID)
	}
	nothingLeft(t, c, j.out)

	ok(t, c.Howdah("admin", "-drainTracker", drained, "off"))
	require.NotContains(t, c.Howdah("job", "-list-active-trackers").Out, "drain")
}
