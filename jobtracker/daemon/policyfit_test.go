package daemon

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/client"
)

const largePool = "<allocations>\n<pool name=\"etl\">\n<minMaps>100</minMaps></pool></allocations>"

// The JobTracker accepts a minimum share above the cluster's slots while there are no slots. After
// trackers have registered, it reports the share with file and line. If a user requests a reload of
// the file, it rejects the share.
func TestMinShareAboveTheClusterIsTold(t *testing.T) {
	c, file := fairCluster(t)
	write(t, file, largePool)
	var log bytes.Buffer
	c.logger = slog.New(slog.NewTextHandler(&log, nil))
	c.prepare = func(d *Daemon) { d.policies.LookEvery = time.Hour }
	c.start()
	c.policies.LookAtFit(c.ctx())
	c.policies.LookAtFit(c.ctx())
	require.Empty(t, c.scheduler().Problem, "no TaskTracker has joined")

	newFakeTracker(t, c, "n1").run()
	require.Eventually(t, func() bool { return c.owner.Slots(c.ctx()) == [2]int32{2, 2} }, time.Minute, time.Millisecond)
	c.policies.LookAtFit(c.ctx())
	require.Empty(t, c.scheduler().Problem, "TaskTrackers are joining")
	c.policies.LookAtFit(c.ctx())
	const why = "<minMaps>100</minMaps>: the cluster has 2 such slots"
	require.Contains(t, c.scheduler().Problem, file+":3: "+why)
	require.EqualValues(t, 100, minimum(c.scheduler(), "etl"), "it counts all the same")
	c.policies.LookAtFit(c.ctx())

	me := &client.AdminRequest{User: c.policies.Rules().Me}
	_, err := c.wire().RefreshQueues(c.ctx(), me)
	require.ErrorContains(t, err, file+":3: "+why)
	write(t, file, onePool)
	newFakeTracker(t, c, "n2").run()
	require.Eventually(t, func() bool { return c.owner.Slots(c.ctx()) == [2]int32{4, 4} }, time.Minute, time.Millisecond)
	_, err = c.wire().RefreshQueues(c.ctx(), me)
	require.NoError(t, err)
	require.Empty(t, c.scheduler().Problem)
	require.NoError(t, c.stop())
	require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("do not fit the cluster")), "told once")
	require.Contains(t, log.String(), file+":3")
}

func TestFitIsWatched(t *testing.T) {
	c, file := fairCluster(t)
	write(t, file, largePool)
	c.start()
	newFakeTracker(t, c, "n1").run()
	require.Eventually(t, func() bool { return c.scheduler().Problem != "" }, time.Minute, 5*time.Millisecond)
	require.Contains(t, c.scheduler().Problem, file+":3")
}
