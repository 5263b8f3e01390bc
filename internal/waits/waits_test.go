package waits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestTimes(t *testing.T) {
	c := conf.New()
	p, err := Read(c)
	require.NoError(t, err)
	require.Equal(t, 100*time.Millisecond, p.Map.Of(0), "Hadoop's default")
	require.Zero(t, p.Shuffle.Of(3))

	c.Set(conf.SleepJobMapSleepTime.Name, "7", "test")
	c.Set(conf.SleepMapTimes.Name, Text([]time.Duration{time.Second, 0, 3 * time.Millisecond}), "test")
	c.Set(conf.SleepReduceTimes.Name, " 1 , 2", "test")
	c.Set(conf.SleepShuffleTime.Name, "5", "test")
	p, err = Read(c)
	require.NoError(t, err)
	var got []int64
	for i := range 4 {
		got = append(got, p.Map.Of(i).Milliseconds())
	}
	require.Equal(t, []int64{1000, 0, 3, 7}, got, "tasks beyond the list use the time for all")
	require.Equal(t, 2*time.Millisecond, p.Reduce.Of(1))
	require.Equal(t, 100*time.Millisecond, p.Reduce.Of(2))
	require.Equal(t, 5*time.Millisecond, p.Shuffle.Of(0))
}

func TestBadTimes(t *testing.T) {
	for key, value := range map[string]string{conf.SleepJobMapSleepTime.Name: "-1", conf.SleepMapTimes.Name: "1,,2",
		conf.SleepReduceTimes.Name: "1,x", conf.SleepShuffleTimes.Name: "1,-2",
		conf.SleepJobReduceSleepTime.Name: "9223372036854775807"} {
		c := conf.New()
		c.Set(key, value, "test")
		_, err := Read(c)
		require.True(t, failure.Is(err, failure.Config), "%s=%s: %v", key, value, err)
		require.ErrorContains(t, err, key)
	}
}

// Read returns the durations that Text has formatted.
func FuzzList(f *testing.F) {
	for _, s := range []string{"", "1", "1,2,3", " 7 , 8", "1,,2", "-1", "9223372036854775807", "9223372036854"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := parse(conf.SleepMapTimes.Name, s)
		if err != nil || list == nil {
			return
		}
		again, err := parse(conf.SleepMapTimes.Name, Text(list))
		require.NoError(t, err)
		require.Equal(t, list, again)
	})
}
