package conf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestCheckRanges(t *testing.T) {
	for _, x := range []struct {
		key, value string
		bad        bool
	}{
		{"howdah.dhfs.percentageOfBorrowedMapSlots", "100", false},
		{"howdah.dhfs.percentageOfBorrowedMapSlots", " 0x10 ", false},
		{"howdah.dhfs.percentageOfBorrowedMapSlots", "", false},
		{"howdah.dhfs.percentageOfBorrowedMapSlots", "101", true},
		{"percentageOfBorrowedMapSlots", "-1", true},
		{"howdah.dhfs.percentageOfBorrowedMapSlots", "NaN", true},
		{"howdah.dhfs.percentageOfBorrowedMapSlots", "all", true},
		{"howdah.adaptive.capacity.buffer", "100.5", true},
		{"howdah.adaptive.cycle", "10s", false},             // not a plain range
		{"mapreduce.map.failures.maxpercent", "101", false}, // has none of the prefixes of the call
		{"howdah.unknown", "101", false},
	} {
		c := New()
		c.Set(x.key, x.value, "site.xml:7")
		err := c.CheckRanges("mapred.fairscheduler.", "howdah.")
		if !x.bad {
			require.NoError(t, err, "%v", x)
			continue
		}
		require.True(t, failure.Is(err, failure.Config), "%v: %v", x, err)
		require.ErrorContains(t, err, "read "+Canonical(x.key)+"="+x.value+" (site.xml:7): want 0 to 100")
	}
}

func TestBounds(t *testing.T) {
	for text, want := range map[string]bool{"0 to 100": true, "0 to 100, percent": true, "-1 to 0.5": true,
		"0 to 9, 0 = none": false, "0 to 9; 0 = none": false,
		"ms, 0 to 9": false, "bytes": false, "": false, "1 to 1h": false} {
		k := Key{Range: text}
		_, _, ok := k.bounds()
		require.Equal(t, want, ok, text)
	}
}

func TestUnknownKeys(t *testing.T) {
	c := New()
	c.Set("howdah.drf.weightz", "a=1", "-D")
	c.Set("howdah.edf.bund", "low", "site.xml:3")
	c.Set("something.else.altogether", "1", "-setScheduler")
	c.Set("my.program", "1", "site.xml:4")
	c.Set("mapred.queue.q.state", "stopped", "-D")
	c.Set("mapred.job.tracker", "here:1", "-D")
	require.Equal(t, []string{
		"-D: unknown key howdah.drf.weightz; did you mean howdah.drf.weights?",
		"site.xml:3: unknown key howdah.edf.bund; did you mean howdah.edf.bound?",
		"-setScheduler: unknown key something.else.altogether",
	}, c.Unknown())
}

// TestMisspelledKeys checks that only near misses cause a warning, because other keys may belong to
// programs.
func TestMisspelledKeys(t *testing.T) {
	c := New()
	c.Set("mapreduce.job.reducess", "3", "-D")
	c.Set("mapred.reduce.task", "3", "site.xml:2")
	c.Set("my.program.reduces", "3", "-D")
	c.Set("mapred.queue.a.acl-submit-job", "x", "site.xml:3")
	c.Set("mapreduce.job.reduces", "3", "-D")
	require.ElementsMatch(t, []string{
		"-D: unknown key mapreduce.job.reducess; did you mean mapreduce.job.reduces?",
		"site.xml:2: unknown key mapred.reduce.task; did you mean mapred.reduce.tasks?",
	}, c.Warnings())
	c.Set("mapreduce.framework.name", "yarn", "-D")
	require.Empty(t, c.Warnings(), "Hadoop may know them")
}
