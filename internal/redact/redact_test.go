package redact

import (
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
		"fs.s3a.secret.key":         {"v", Requested}, // the cluster's list replaces Hadoop's
		"my.key":                    {Sensitive, Sensitive},
		"not.my.key":                {"v", "v"},
		"is.hidden":                 {Sensitive, Sensitive},
		"is.hidden.not":             {"v", "v"},
		"plain":                     {"v", Requested},
		"mapreduce.job.name":        {"v", Requested}, // under its new name
		"dfs.password":              {"v", Sensitive},
		"some.oauth.refresh.token":  {"v", Sensitive},
		"mapreduce.job.user.name":   {"v", "v"},
		"fs.azure.account.key.host": {"v", Sensitive},
	} {
		require.Equal(t, want, [2]string{m.Value(key, "v"), both.Value(key, "v")}, key)
	}
	require.Empty(t, m.listed)

	own.Set("plain", "x", "test")
	own.Set("command", "run --password ${plain}", "test")
	shown := both.Config(own)
	require.Equal(t, Requested, shown.Get("plain"))
	require.Equal(t, "x", own.Get("plain"))

	own.Set("hadoop.security.sensitive-config-keys", "(", "test")
	_, err = m.With(own)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "hadoop.security.sensitive-config-keys")
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
