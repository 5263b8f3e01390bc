package conf

import (
	"math"
	"testing"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func with(value string) *Config {
	c := New()
	c.Set("k", value, "site.xml")
	return c
}

// refused requires that an error names the key, the value, and the source.
func refused(t *testing.T, value string, err error) {
	t.Helper()
	require.Equal(t, failure.Config, failure.KindOf(err), "%q: %v", value, err)
	require.ErrorContains(t, err, "k="+value)
	require.ErrorContains(t, err, "site.xml")
	require.ErrorContains(t, err, "want ")
}

func TestInt(t *testing.T) {
	for value, want := range map[string]int64{"": 7, "5": 5, " 5 ": 5, "-3": -3, "0x10": 16, "0XfF": 255, "100": 100} {
		got, err := with(value).Int("k", 7, -3, 255)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"x", "1.5", "256", "-4", "5k", "9223372036854775808", "1e3", "0x"} {
		_, err := with(value).Int("k", 7, -3, 255)
		refused(t, value, err)
	}
	_, err := with("-1").Int("k", 0, 0, math.MaxInt64)
	require.ErrorContains(t, err, "of at least 0")
	got, err := New().Int("k", 7, 100, 200) // Int does not check the caller's default
	require.NoError(t, err)
	require.EqualValues(t, 7, got)
}

func TestFloat(t *testing.T) {
	for value, want := range map[string]float64{"": 0.5, "0": 0, "1": 1, "0.80": 0.8, "5e-2": 0.05} {
		got, err := with(value).Float("k", 0.5, 0, 1)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"x", "1.1", "-0.1", "NaN", "Inf", "0,5"} {
		_, err := with(value).Float("k", 0.5, 0, 1)
		refused(t, value, err)
	}
}

func TestBool(t *testing.T) {
	for value, want := range map[string]bool{"": true, "true": true, "false": false, " TRUE ": true, "False": false} {
		got, err := with(value).Bool("k", true)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"yes", "1", "on", "tru"} {
		_, err := with(value).Bool("k", true)
		refused(t, value, err)
	}
}

func TestStrings(t *testing.T) {
	require.Equal(t, []string{"a", "b c", "d"}, with(" a, b c,,d,").Strings("k"))
	require.Empty(t, with(" , ").Strings("k"))
	require.Empty(t, New().Strings("k"))
}

func memory(value string) *Config {
	c := New()
	c.Set("mapreduce.map.memory.mb", value, "site.xml")
	return c
}

func TestTaskMemory(t *testing.T) {
	for value, want := range map[string]int64{"": 1024, "-1": 1024, " -1 ": 1024, "128": 128, "0x800": 2048} {
		got, err := MapMemoryMB.Get(memory(value))
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"-2", "127", "1048577", "1g"} {
		_, err := MapMemoryMB.Get(memory(value))
		require.Equal(t, failure.Config, failure.KindOf(err), value)
		require.ErrorContains(t, err, "mapreduce.map.memory.mb="+value+" (site.xml): want ")
	}
}

func TestDuration(t *testing.T) {
	for value, want := range map[string]time.Duration{"": time.Minute, "5": 5 * time.Millisecond, "5s": 5 * time.Second,
		"5 s": 5 * time.Second,
		"2m":  2 * time.Minute, "2MS": 2 * time.Millisecond, "3h": 3 * time.Hour, "1d": 24 * time.Hour,
		"7us": 7 * time.Microsecond, "9ns": 9, "0": 0} {
		got, err := with(value).Duration("k", time.Minute, time.Millisecond, 0, 24*time.Hour)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"x", "1.5s", "2d", "-1s", "s", "5w", "106752d", "9223372036854775807s"} {
		_, err := with(value).Duration("k", time.Minute, time.Millisecond, 0, 24*time.Hour)
		refused(t, value, err)
	}
	_, err := with("-5").Duration("k", 0, time.Second, 0, math.MaxInt64)
	require.ErrorContains(t, err, "at least 0s")
}

func TestSize(t *testing.T) {
	for value, want := range map[string]int64{"": 9, "0": 0, "512": 512, "64k": 64 << 10, "64K": 64 << 10,
		"128m": 128 << 20, "2 g": 2 << 30, "1t": 1 << 40, "0x10": 16} {
		got, err := with(value).Size("k", 9, 0, 1<<40)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"x", "k", "1.5g", "2t", "-1", "1kb", "8192p", "9223372036854775807k"} {
		_, err := with(value).Size("k", 9, 0, 1<<40)
		refused(t, value, err)
	}
	_, ok := parseSize("-9223372036854775808k")
	require.False(t, ok)
	n, ok := parseSize("-2k")
	require.True(t, ok)
	require.EqualValues(t, -2048, n)
}
