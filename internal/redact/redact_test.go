package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func TestMask(t *testing.T) {
	cluster, own := conf.New(), conf.New()
	cluster.Set("hadoop.security.sensitive-config-keys", "^my\\.\n , hidden$", "test")
	own.Set("mapreduce.job.redacted-properties", "plain, mapred.job.name,fs.s3a.secret.key", "test")
	m, err := New(cluster)
	require.NoError(t, err)
	both, err := m.With(own)
	require.NoError(t, err)
	for key, want := range map[string][2]string{
		"fs.s3a.secret.key":       {"v", Requested}, // the cluster's list replaces Hadoop's
		"my.key":                  {Sensitive, Sensitive},
		"not.my.key":              {"v", "v"},
		"is.hidden":               {Sensitive, Sensitive},
		"is.hidden.not":           {"v", "v"},
		"plain":                   {"v", Requested},
		"mapreduce.job.name":      {"v", Requested}, // under its new name
		"dfs.password":            {"v", "v"},
		"mapreduce.job.user.name": {"v", "v"},
	} {
		require.Equal(t, want, [2]string{m.Value(key, "v"), both.Value(key, "v")}, key)
	}
	require.Empty(t, m.listed)

	own.Set("plain", "x", "test")
	own.Set("command", "run --password ${plain}", "test")
	shown := both.Config(own)
	require.Equal(t, Requested, shown.Get("plain"))
	require.Equal(t, "run --password "+Requested, shown.Get("command"))
	require.Equal(t, "x", own.Get("plain"))
	require.Equal(t, "run --password x", own.Get("command"))

	cluster.Set("hadoop.security.sensitive-config-keys", "(", "test")
	_, err = New(cluster)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "hadoop.security.sensitive-config-keys")
}

func TestURL(t *testing.T) {
	m, err := New(conf.New())
	require.NoError(t, err)
	for url, want := range map[string]string{
		"http://ann:pa@ss@host:1/x?id=$jobId&at=a@b": "http://<redacted>@host:1/x?id=$jobId&at=a@b",
		"https://token@host":                         "https://<redacted>@host",
		"http://host/x@y":                            "http://host/x@y",
		"http://host?x@y":                            "http://host?x@y",
		"ann@host":                                   "ann@host",
		"":                                           "",
	} {
		require.Equal(t, want, m.Value("mapreduce.job.end-notification.url", url))
		require.Equal(t, url, m.Value("my.url", url))
	}
	own := conf.New()
	own.Set("job.end.notification.url", "http://ann:secret@host/", "test")
	require.Equal(t, "http://<redacted>@host/", conf.JobEndNotificationURL.Get(m.Config(own)))
}

// TestAJobHasNoPatterns checks that a job cannot make the JobTracker compile patterns or keep a long
// list of keys.
func TestAJobHasNoPatterns(t *testing.T) {
	m, err := New(conf.New())
	require.NoError(t, err)
	own := conf.New()
	own.Set("hadoop.security.sensitive-config-keys", "( is no pattern, .*", "test")
	mask, err := m.With(own)
	require.NoError(t, err)
	require.Equal(t, "v", mask.Value("some.key", "v"))
	require.Equal(t, Sensitive, mask.Value("dfs.password", "v"), "the JobTracker's patterns still apply")

	for _, keys := range []string{strings.Repeat("k,", maxListed), strings.Repeat("k", maxKey)} {
		own.Set("mapreduce.job.redacted-properties", keys, "test")
		_, err = m.With(own)
		require.NoError(t, err)
		own.Set("mapreduce.job.redacted-properties", keys+"k", "test")
		_, err = m.With(own)
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, "mapreduce.job.redacted-properties")
	}
}

// Facts of jobs that an earlier version accepted contain secrets.
func TestSpec(t *testing.T) {
	m, err := New(conf.New())
	require.NoError(t, err)
	s := &job.Spec{Name: "n", Conf: []job.Property{{Name: "a", Value: "1"}, {Name: "b", Value: "2"},
		{Name: "c.password", Value: "3"}, {Name: "mapreduce.job.redacted-properties", Value: "b,z"}}}
	shown := m.Spec(s)
	require.Equal(t, []job.Property{{Name: "a", Value: "1"}, {Name: "b", Value: Requested},
		{Name: "c.password", Value: Sensitive}, s.Conf[3]}, shown.Conf)
	require.Equal(t, shown, m.Spec(shown))
	require.Equal(t, "3", s.Conf[2].Value)
	require.Equal(t, "n", shown.Name)
}
