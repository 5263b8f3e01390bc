package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

var noon = time.UnixMilli(1_795_262_400_000).UTC() // 2026-11-21T12:00:00Z

// deadlineOf parses a deadline from a configuration file.
func deadlineOf(text string) (int64, error) {
	c := conf.New()
	c.Set(conf.JobDeadline.Name, text, "dl.xml:4")
	return ReadDeadline(c, noon)
}

func TestDeadlines(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1795262401000":             time.Second,
		"2026-11-21T12:05:00Z":      5 * time.Minute,
		"2026-11-21T14:00:00+01:00": time.Hour,
		"+90s":                      90 * time.Second,
		" +2h ":                     2 * time.Hour,
		"+1d":                       24 * time.Hour,
		"+1d2h30m":                  26*time.Hour + 30*time.Minute,
		"+1500ms":                   1500 * time.Millisecond,
		"+PT5M":                     5 * time.Minute,
		"+P1DT2H3M4.5S":             26*time.Hour + 3*time.Minute + 4500*time.Millisecond,
		"+P2D":                      48 * time.Hour,
	} {
		at, err := deadlineOf(text)
		require.NoError(t, err, text)
		require.Equal(t, noon.Add(want).UnixMilli(), at, text)
	}
	at, err := deadlineOf("")
	require.NoError(t, err)
	require.Zero(t, at, "no deadline")
}

func TestBadDeadlines(t *testing.T) {
	for _, text := range []string{"0", "-5", "1795262400000", "2026-11-21T11:59:59Z", "2026-11-21", "+", "+0s", "+1ns",
		"+-5s", "+P", "+PT", "+P1Y", "+P1DT",
		"90s", "tomorrow", "+99999d", "+99999999999999h", "9223372036854775807", "+PT5", "+1d-30h"} {
		_, err := deadlineOf(text)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", text, err)
		require.ErrorContains(t, err, "read "+conf.JobDeadline.Name+"="+text+" (dl.xml:4): ")
	}
}

// The reason names the mistake, in words that need no knowledge of Go.
func TestReasonOfBadDeadline(t *testing.T) {
	const fix = "; use milliseconds since the epoch, a time such as 2026-11-21T08:00:00Z, " +
		"or a time after the submission such as +90s, +2h or +PT5M"
	for text, why := range map[string]string{
		"90s":   "a duration starts with a plus: +90s",
		"PT5M":  "a duration starts with a plus: +PT5M",
		"18:00": "not a time",
		"+soon": "not a duration of days, hours, minutes and seconds",
		"+1d1x": "not a duration of days, hours, minutes and seconds",
	} {
		_, err := deadlineOf(text)
		require.EqualError(t, err, "read "+conf.JobDeadline.Name+"="+text+" (dl.xml:4): "+why+fix)
	}
}

// A change of a deadline takes what a submission takes, and also none.
func TestChangedDeadline(t *testing.T) {
	id := job.ID{Cluster: "1", Seq: 2}
	for text, want := range map[string]int64{"none": 0, "+2h": noon.Add(2 * time.Hour).UnixMilli(),
		" 1795262401000 ": noon.UnixMilli() + 1000} {
		at, err := ChangedDeadline(id, text, noon)
		require.NoError(t, err, text)
		require.Equal(t, want, at, text)
	}
	for text, why := range map[string]string{"": "not a time", "0": "it passed ", "None": "not a time",
		"+0s":    "it passed ",
		"+3651d": "it is more than ten years in the future", "2h": "a duration starts with a plus: +2h"} {
		_, err := ChangedDeadline(id, text, noon)
		require.True(t, failure.Is(err, failure.Usage), text)
		require.ErrorContains(t, err, "set deadline job_1_0002: \""+text+"\": "+why)
		require.ErrorContains(t, err, "+PT5M, or none")
	}
}

func FuzzDeadline(f *testing.F) {
	for _, s := range []string{"", "+90s", "+PT5M", "+P1DT2H3M4.5S", "2026-11-21T12:05:00Z", "1795262401000", "+1d2h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := deadlineOf(s)
		if err == nil && at != 0 && (at <= noon.UnixMilli() || at > noon.Add(latest).UnixMilli()) {
			t.Fatalf("%q is %d", s, at)
		}
	})
}
