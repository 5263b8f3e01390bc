package policies

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/pool"
	"github.com/howdah/howdah/scheduler/speculation"
)

// The error for an invalid setting in a site file contains the file and the line.
func TestBadSettingsNameFileAndLine(t *testing.T) {
	for _, x := range []struct{ scheduler, key, value string }{
		{"fiar", catalog.Key, "fiar"},
		{"fifo", speculation.Key, "foo"},
		{"fifo", "howdah.speculation.late.threshold", "foo"},
		{"fifo", "howdah.fifo.assign.multiple", "foo"},
		{"minedf", "howdah.edf.bound", "mid"},
		{"adaptive", "howdah.adaptive.late", "foo"},
		{"fair", pool.KeyWeightAdjuster, "foo"},
		{"fair", pool.KeyFile, "none.xml"},
		{"fair", conf.FairSchedulerPreemptionInterval.Name, "-1"},
		{"pi-dhfs", "howdah.dhfs.percentage.of", "foo"},
		{"pd-dhfs", "howdah.dhfs.percentageOfBorrowedMapSlots", "101"},
		{"drf", "howdah.drf.share.by", "foo"},
		{"drf", "howdah.drf.weights", "a=-1"},
		{"capacity", "howdah.capacity.assign.multiple", "foo"},
		{"capacity", "mapred.queue.default.state", "foo"},
		{"fifo", "howdah.dhfs.percentageOfBorrowedMapSlots", "101"}, // a setting for a different scheduler
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "mapred-site.xml")
		text := "<configuration>\n<property>\n<name>" + x.key + "</name>\n<value>" + x.value +
			"</value>\n</property></configuration>"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		c, err := conf.GenericOptions{ConfigDir: dir}.Load()
		require.NoError(t, err)
		_, err = New(Config{Conf: c, Catalog: catalog.Builtin(), Scheduler: x.scheduler, Log: slog.New(slog.DiscardHandler)})
		require.True(t, failure.Is(err, failure.Config), "%v: %v", x, err)
		require.ErrorContains(t, err, "read "+x.key+"="+x.value+" ("+file+":4): ")
	}
}

func TestQueues(t *testing.T) {
	c := conf.New()
	c.Set("mapred.queue.names", "fast, slow,closed", "test")
	c.Set("mapred.queue.closed.state", "STOPPED", "test")
	r := conf.Reader{Conf: c}
	queues := &Keeper{Config: Config{Queues: QueuesFromConf(&r)}}
	require.NoError(t, r.Err)
	require.NoError(t, queues.CheckQueue("slow"))
	require.True(t, failure.Is(queues.CheckQueue("closed"), failure.Permission))
	err := queues.CheckQueue("default")
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "fast slow closed")
}
