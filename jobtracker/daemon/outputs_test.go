package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/factlog"
	wire "github.com/howdah/howdah/internal/wire/tracker"
)

// slowLog is a journal whose writes wait until they can take the token in disk.
type slowLog struct {
	factlog.Writer
	disk chan struct{}
}

func (l slowLog) Append(b []byte) error {
	<-l.disk
	defer func() { l.disk <- struct{}{} }()
	return l.Writer.Append(b)
}

// A TaskTracker wakes while the disk still writes a new job, but learns nothing of the job before.
func TestTrackersWakeBeforeTheDisk(t *testing.T) {
	c := newCluster(t)
	disk := make(chan struct{}, 1)
	disk <- struct{}{}
	c.prepare = func(d *Daemon) { d.log = slowLog{d.log, disk} }
	c.start()
	x := c.trackers()
	r := c.register(x, "t")
	beat := func(ctx context.Context, seq uint64) (*wire.Desired, error) {
		return x.Beat(ctx, &wire.Report{Tracker: r.Tracker, Incarnation: 1, Seq: seq, Full: true, MapSlots: 1,
			ReduceSlots: 1})
	}
	_, err := beat(c.ctx(), 1)
	require.NoError(t, err)
	now, err := x.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker})
	require.NoError(t, err)

	client, submitted := c.client(), make(chan error, 1)
	<-disk
	go func() {
		_, err := client.Submit(c.ctx(), c.job("out", 1, 0))
		submitted <- err
	}()
	news, err := x.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker, Version: now.Version, WaitMillis: 60_000})
	require.NoError(t, err)
	require.True(t, news.News)
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = beat(short, 2)
	require.Error(t, err)
	require.Empty(t, submitted)

	disk <- struct{}{}
	require.NoError(t, <-submitted)
	d, err := beat(c.ctx(), 3)
	require.NoError(t, err)
	require.Len(t, d.Run, 1)
}
