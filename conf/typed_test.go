package conf

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestKeysReadDefaultsAndSettings(t *testing.T) {
	c := New()
	r := &Reader{Conf: c}
	require.EqualValues(t, 100, TaskIOSortMB.From(r))
	require.Equal(t, 0.66, ReduceShuffleMergePercent.From(r))
	require.True(t, MapSpeculative.From(r))
	require.EqualValues(t, 128<<20, DFSBlockSize.From(r))
	require.Equal(t, time.Minute, DFSClientSocketTimeout.From(r))
	require.EqualValues(t, 1024, MapMemoryMB.From(r))
	require.Equal(t, "average", EDFBound.From(r))
	require.Equal(t, "file:///", FSDefaultFS.Get(c))
	require.Empty(t, GossipJoin.Get(c))
	n, err := LocalMapTasksMaximum.GetOr(c, 7)
	require.NoError(t, err)
	require.EqualValues(t, 7, n)
	yes, err := StreamMapInputIgnoreKey.GetOr(c, true)
	require.NoError(t, err)
	require.True(t, yes)

	c.Set("io.sort.mb", "0x200", "test")
	c.Set("dfs.blocksize", "1m", "test")
	c.Set("dfs.client.socket-timeout", "2s", "test")
	c.Set("mapreduce.map.memory.mb", "-1", "test")
	c.Set("howdah.gossip.join", "a, b", "test")
	c.Set("howdah.edf.bound", " LOW ", "test")
	c.Set("mapreduce.local.map.tasks.maximum", "3", "test")
	require.EqualValues(t, 512, TaskIOSortMB.From(r))
	require.EqualValues(t, 100, TaskIOSortMB.BuiltIn())
	require.EqualValues(t, 1<<20, DFSBlockSize.From(r))
	require.Equal(t, 2*time.Second, DFSClientSocketTimeout.From(r))
	require.EqualValues(t, 1024, MapMemoryMB.From(r))
	require.Equal(t, []string{"a", "b"}, GossipJoin.Get(c))
	require.Equal(t, "low", EDFBound.From(r))
	n, err = LocalMapTasksMaximum.GetOr(c, 7)
	require.NoError(t, err)
	require.EqualValues(t, 3, n)

	for _, empty := range []string{"", " ", "${env.HOWDAH_UNSET:-}"} {
		c.Set("io.sort.mb", empty, "test")
		require.EqualValues(t, 100, TaskIOSortMB.From(r), "%q", empty)
	}
	require.NoError(t, r.Err)
}

// TestKeysRefuseWhatIsOutOfRange checks that errors name the bounds of the key's range.
func TestKeysRefuseWhatIsOutOfRange(t *testing.T) {
	for _, x := range []struct {
		key, value, want string
		read             func(*Config) error
	}{
		{"mapreduce.task.io.sort.mb", "2048", "a whole number from 1 to 2047", failing(TaskIOSortMB.Get)},
		{"mapreduce.map.combine.minspills", "2147483648", "a whole number from 1 to 2147483647",
			failing(MapCombineMinSpills.Get)},
		{"mapreduce.reduce.shuffle.merge.percent", "1.1", "a number from 0 to 1", failing(ReduceShuffleMergePercent.Get)},
		{"mapreduce.map.speculative", "yes", "true or false", failing(MapSpeculative.Get)},
		{"dfs.blocksize", "511", "a number of bytes from 512 to 1099511627776", failing(DFSBlockSize.Get)},
		{"dfs.client.socket-timeout", "9", "a time from 10ms to 24h0m0s", failing(DFSClientSocketTimeout.Get)},
		{"mapreduce.map.memory.mb", "127", "a whole number from 128 to 1048576", failing(MapMemoryMB.Get)},
		{"howdah.edf.bound", "low, average", "one of low, average, up", failing(EDFBound.Get)},
		{"hadoop.shell.safely.delete.limit.num.files", "-1", "a whole number of at least 0",
			failing(HadoopShellSafelyDeleteLimitNumFiles.Get)},
	} {
		c := New()
		c.Set(x.key, x.value, "site.xml:7")
		err := x.read(c)
		require.Equal(t, failure.Config, failure.KindOf(err), x.key)
		require.ErrorContains(t, err, "read "+x.key+"="+x.value+" (site.xml:7): want "+x.want)
	}
	c := New()
	c.Set("mapreduce.map.memory.mb", "64", "test")
	n, err := MapMemoryMB.AtLeast(c, 1)
	require.NoError(t, err)
	require.EqualValues(t, 64, n)
}

func TestParse(t *testing.T) {
	x, err := JobDemandMapCPU.Parse("1.5")
	require.NoError(t, err)
	require.Equal(t, 1.5, x)
	for _, text := range []string{"", "-1", "1025", "NaN", "two"} {
		_, err := JobDemandMapCPU.Parse(text)
		require.EqualError(t, err, "want 0 to 1024, cores", text)
	}
}

func failing[T any](get func(*Config) (T, error)) func(*Config) error {
	return func(c *Config) error {
		_, err := get(c)
		return err
	}
}

func TestLimits(t *testing.T) {
	for text, want := range map[string][2]int64{
		"0 to 100": {0, 100}, "1 to 10^8": {1, 1e8}, "MiB, 1 to 2^31-1; 0 = none": {1, 1<<31 - 1},
		"0 to 2^63-1":  {0, 1<<63 - 1},
		"ms, 10 to 1h": {10, 3_600_000}, "ms, 0 to 1d, 0 = three tries": {0, 86_400_000},
		"bytes or k m g, 512 to 1t": {512, 1 << 40},
		"-1 or 1 to 9; -1 = none":   {-1, 9}, "above 1, to 9": {1, 9}, "0 or more": {0, 1<<63 - 1},
		"number": {-1 << 63, 1<<63 - 1},
	} {
		lo, hi := (&Key{Range: text}).limits()
		require.Equal(t, want, [2]int64{lo, hi}, text)
	}
}
