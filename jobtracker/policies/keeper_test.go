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
)

// The error for an invalid setting in a site file contains the file and the line.
func TestBadSettingsNameFileAndLine(t *testing.T) {
	for _, x := range []struct{ scheduler, key, value string }{
		{"fiar", conf.JobTrackerTaskScheduler.Name, "fiar"},
		{"fifo", conf.Speculation.Name, "foo"},
		{"fifo", "howdah.speculation.late.threshold", "foo"},
		{"fifo", "howdah.fifo.assign.multiple", "foo"},
		{"minedf", "howdah.edf.bound", "mid"},
		{"adaptive", "howdah.adaptive.late", "foo"},
		{"fair", conf.FairSchedulerWeightAdjuster.Name, "foo"},
		{"fair", conf.FairSchedulerAllocationFile.Name, "none.xml"},
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
	dir := t.TempDir()
	write := func(name, value string, more ...string) {
		text := "<configuration>\n"
		for all := append([]string{name, value}, more...); len(all) > 0; all = all[2:] {
			text += "<property><name>" + all[0] + "</name><value>" + all[1] + "</value></property>\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mapred-queue-acls.xml"), []byte(text+"</configuration>"), 0o600))
	}
	c, err := conf.GenericOptions{ConfigDir: dir}.Load()
	require.NoError(t, err)
	c.Set("mapred.queue.names", "fast, slow,closed,open", "test")
	c.Set("mapred.acls.enabled", "true", "test")
	c.Set("mapred.queue.closed.state", "STOPPED", "test")
	write("mapred.queue.fast.acl-submit-job", "ann", "mapred.queue.slow.acl-administer-jobs", "boss",
		"mapred.queue.open.acl-submit-job", " ")
	k, err := New(Config{Conf: c, Catalog: catalog.Builtin(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	for _, x := range []struct {
		user, queue string
		want        failure.Kind
	}{{"ann", "fast", failure.Unknown}, {"eve", "fast", failure.Permission}, {"eve", "slow", failure.Unknown},
		{"ann", "closed", failure.Permission}, {"ann", "open", failure.Permission}, {"ann", "default", failure.Config}} {
		err := k.CheckSubmit(x.user, x.queue)
		require.Equal(t, x.want, failure.KindOf(err), "%+v: %v", x, err)
	}
	require.ErrorContains(t, k.CheckSubmit("ann", "default"), "fast slow closed open")
	require.True(t, k.Rules().MayAdminister("boss", "slow"))
	require.False(t, k.Rules().MayAdminister("ann", "fast"), "an unset list admits only administrators")

	for _, bad := range []struct{ name, value, want string }{
		{"mapred.queue.slow.acl-submit", "ann", "want one of: acl-submit-job"},
		{"mapred.queue.slwo.acl-submit-job", "ann", "want a queue of mapred.queue.names: fast"},
		{"mapred.queue.slow.state", "open", "want running or stopped"}} {
		write(bad.name, bad.value)
		_, err := readAccess(c)
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, bad.want)
		require.ErrorContains(t, err, "mapred-queue-acls.xml:2")
	}
	// As in Hadoop 1, the other configuration files can also contain these keys.
	write("mapred.queue.slow.state", "running")
	c.Set("mapred.queue.fast.acl-submit-job", "ann", "mapred-site.xml:7")
	x, err := readAccess(c)
	require.NoError(t, err)
	require.Error(t, x.rules.Submit("eve", "fast"))
	c.Set("mapred.queue.fsat.acl-submit-job", "ann", "mapred-site.xml:8")
	_, err = readAccess(c)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "mapred-site.xml:8")
}

func TestAdministrators(t *testing.T) {
	c := conf.New()
	c.Set(conf.ClusterAdministrators.Name, "carol,dave staff", "test")
	k, err := New(Config{Conf: c, Catalog: catalog.Builtin(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	for user, want := range map[string]bool{k.Rules().Me: true, "carol": true, "dave": true, "staff": false, "": true} {
		require.Equal(t, want, k.Administer(user) == nil, user)
	}
}
