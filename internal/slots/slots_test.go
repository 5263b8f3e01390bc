package slots

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// MROrchestrator, section I, footnote 1: slots = min{C-1, (M-2)/2, D/50}.
func TestSlotsByFootnote1(t *testing.T) {
	for _, e := range []struct {
		cores        int
		memory, disk int64 // in GB
		want         int64
	}{
		{8, 64, 1000, 7}, {8, 16, 1000, 7}, {8, 13, 1000, 5}, {64, 512, 220, 4}, {64, 512, 199, 3},
		{1, 64, 1000, 1}, {2, 3, 1000, 1}, {64, 512, 10, 1}, {64, 0, 0, 63}, {1 << 20, 0, 0, 10000},
	} {
		require.Equal(t, e.want, of(e.cores, e.memory*gb, e.disk*gb), "%+v", e)
	}
}

func TestRead(t *testing.T) {
	c := conf.New()
	for value, want := range map[string]int64{"3": 3, "0": 0, "auto": 0, "AUTO": 0} {
		c.Set(conf.TaskTrackerMapTasksMaximum.Name, value, "test")
		n, err := Read(c, &conf.TaskTrackerMapTasksMaximum)
		require.NoError(t, err)
		if want == 0 && value != "0" {
			require.Positive(t, n)
			continue
		}
		require.Equal(t, want, n)
	}
	n, err := Read(c, &conf.TaskTrackerReduceTasksMaximum)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	for _, bad := range []string{"automatic", "-1", "10001"} {
		c.Set(conf.TaskTrackerReduceTasksMaximum.Name, bad, "test")
		_, err := Read(c, &conf.TaskTrackerReduceTasksMaximum)
		require.ErrorContains(t, err, conf.TaskTrackerReduceTasksMaximum.Name)
	}
}

func TestDisksCountOnce(t *testing.T) {
	dir := t.TempDir()
	one := diskTotal([]string{dir})
	require.Positive(t, one)
	require.Equal(t, one, diskTotal([]string{dir, filepath.Join(dir, "not", "yet")}))
	require.Equal(t, diskTotal([]string{"/"}), diskTotal([]string{"/there-is-no-such-folder/local"}),
		"it would lie on the disk of /")
	require.Zero(t, diskTotal(nil))
}
