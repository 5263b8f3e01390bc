package schemes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
)

// private is a file system that knows its user.
type private struct {
	*mem.FS
	authority, user string
}

func (p *private) As(user string) (dfs.FileSystem, error) {
	return &private{p.FS, p.authority, user}, nil
}

func TestOwnFileSystems(t *testing.T) {
	open := func(c *conf.Config, authority string) (dfs.FileSystem, error) {
		if authority == "bad" {
			return nil, failure.New(failure.Config, "open", authority, nil)
		}
		return &private{mem.New(), authority, c.Get("test.user")}, nil
	}
	require.NoError(t, Add("own1", open))
	for _, scheme := range []string{"own1", "file", "hdfs", "", "Own", "my-own", "1own"} {
		require.True(t, failure.Is(Add(scheme, open), failure.Config), scheme)
	}
	c := conf.New()
	c.Set("test.user", "me", "test")
	for user, want := range map[string]string{"": "me", "ann": "ann"} {
		set, err := ResolverAs(c, security.Options{User: user}, nil)
		require.NoError(t, err)
		fs, name, err := set.Resolve("own1://host:1/a/b")
		require.NoError(t, err)
		require.Equal(t, "/a/b", name)
		require.Equal(t, []string{"host:1", want}, []string{fs.(*private).authority, fs.(*private).user})
		_, _, err = set.Resolve("own1://bad/")
		require.True(t, failure.Is(err, failure.Config))
		_, _, err = set.Resolve("own2://x/")
		require.ErrorContains(t, err, "known schemes: file, hdfs, own1")
	}
}
