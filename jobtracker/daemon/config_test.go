package daemon

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestDefaults(t *testing.T) {
	cfg, err := FromConf(conf.New())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:9001", cfg.Addr, "loopback unless told otherwise")
	require.Equal(t, "127.0.0.1:50030", cfg.HTTPAddr)
	require.EqualValues(t, 600_000, cfg.Machine.Expiry)
	require.Equal(t, "", cfg.GossipAddr)
}

// FromConf or validate rejects an invalid value and names its key and source.
func TestBadValues(t *testing.T) {
	fs := newCluster(t).fs
	for key, value := range map[string]string{
		"mapreduce.jobtracker.expire.trackers.interval":             "10",
		"mapreduce.jobtracker.heartbeats.in.second":                 "0",
		"mapred.jobtracker.completeuserjobs.maximum":                "many",
		"mapreduce.jobtracker.maxtasks.perjob":                      "-2",
		"mapreduce.reduce.shuffle.max-fetch-failures-fraction":      "1.5",
		"mapreduce.reduce.shuffle.max-fetch-failures-notifications": "0",
		"mapreduce.cluster.reducememory.mb":                         "-2",
		"mapreduce.jobtracker.maxmapmemory.mb":                      "2097152",
		conf.UserJobConfLimit.Name:                                  "1",
		conf.JobTrackerAddress.Name:                                 "nowhere",
		conf.JobTrackerHTTPAddress.Name:                             "nowhere",
		conf.IPCMaximumDataLength.Name:                              "x",
		conf.GossipKeyFile.Name:                                     "/nowhere/key",
		conf.SecurityRPCAddresses.Name:                              "nowhere",
		"howdah.jobtracker.heartbeat.interval.min":                  "0",
		"howdah.jobtracker.jobs.maximum":                            "-1",
		"mapred.cluster.average.blacklist.threshold":                "-0.1",
		"mapred.jobtracker.blacklist.fault-timeout-window":          "-1",
	} {
		c := conf.New()
		c.Set(key, value, "site.xml:7")
		cfg, err := FromConf(c)
		if err == nil {
			cfg.FS = fs
			err = cfg.validate()
		}
		require.True(t, failure.Is(err, failure.Config), "%s: %v", key, err)
		require.ErrorContains(t, err, "read "+key+"="+value+" (site.xml:7): ")
	}
}

func TestMemoryOfSlots(t *testing.T) {
	c := conf.New()
	for i, key := range []string{"mapred.cluster.map.memory.mb", "mapred.cluster.reduce.memory.mb",
		"mapred.cluster.max.map.memory.mb", "mapred.cluster.max.reduce.memory.mb"} {
		c.Set(key, []string{"1024", "2048", "4096", "8192"}[i], "test")
	}
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Equal(t, [2]int32{1024, 2048}, cfg.Machine.SlotMemory)
	require.Equal(t, [2]int32{4096, 8192}, cfg.Machine.MaxMemory)
}

func TestHosts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	h, err := newHosts(&Config{HostsFile: write("in", "a b # comment\nc"), ExcludeFile: write("ex", "b")})
	require.NoError(t, err)
	for host, want := range map[string]bool{"a": true, "b": false, "c": true, "d": false, "comment": false} {
		require.Equal(t, want, h.check(host) == nil, host)
	}
	changed, err := h.read()
	require.NoError(t, err)
	require.False(t, changed)
	write("in", "")
	changed, err = h.read()
	require.NoError(t, err)
	require.True(t, changed)
	require.NoError(t, h.check("d"), "an empty file allows all")
	none := filepath.Join(dir, "none")
	c := conf.New()
	c.Set(conf.JobTrackerHostsFileName.Name, none, "mapred-site.xml:8")
	_, err = newHosts(&Config{HostsFile: none, Conf: c})
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "(mapred-site.xml:8): ")
}

func TestNamesForDirectories(t *testing.T) {
	for _, bad := range []string{"", ".", "..", "a/b", "-x", ".x", "a b", "a\x00", "a\\b"} {
		require.Error(t, checkName("user", bad), "%q", bad)
	}
	for _, good := range []string{"ann", "a.b-c_d@realm", "bénédicte"} {
		require.NoError(t, checkName("user", good), "%q", good)
	}
}

func TestKeyLocks(t *testing.T) {
	var k keyLocks
	unlock, err := k.lock(t.Context(), "a")
	require.NoError(t, err)
	other, err := k.lock(t.Context(), "b")
	require.NoError(t, err)
	other()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = k.lock(ctx, "a")
	require.Error(t, err)
	got := make(chan func())
	go func() {
		again, _ := k.lock(context.Background(), "a")
		got <- again
	}()
	unlock()
	(<-got)()
	require.Empty(t, k.held)
}
