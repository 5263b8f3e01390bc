package distcache

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestRead(t *testing.T) {
	c := conf.New()
	c.Set(conf.JobCacheFiles.Name, "hdfs://nn:9820/a/words.txt, file:/b/list#names,/c/d#sub/e", "test")
	c.Set("mapred.cache.archives", "/x/lib.ZIP#lib,/x/y.tar.gz", "test")
	c.Set(conf.JobCacheFilesTimestamps.Name, "1,2,3", "test")
	c.Set(conf.JobCacheFilesFileSizes.Name, "10,20,30", "test")
	c.Set(conf.JobCacheFilesVisibilities.Name, "true,false,true", "test")
	all, err := Read(c)
	require.NoError(t, err)
	require.Equal(t, []Entry{
		{URI: "hdfs://nn:9820/a/words.txt", Link: "words.txt", ModTime: 1, Size: 10, Public: true},
		{URI: "file:/b/list", Link: "names", ModTime: 2, Size: 20},
		{URI: "/c/d", Link: "sub/e", ModTime: 3, Size: 30, Public: true},
		{URI: "/x/lib.ZIP", Link: "lib", Archive: true, ModTime: -1, Size: -1},
		{URI: "/x/y.tar.gz", Link: "y.tar.gz", Archive: true, ModTime: -1, Size: -1},
	}, all)
	require.NotEqual(t, all[1].key("ann"), all[1].key("bob"), "a private file is copied for each user")
	require.Equal(t, all[0].key("ann"), all[0].key("bob"))
}

func TestReadGivesWhatIsListedTwiceOnce(t *testing.T) {
	c := conf.New()
	c.Set(conf.JobCacheFiles.Name, "/a/x,/a/x,/b/x#y,/a/x#x,/b/x#z", "test")
	all, err := Read(c)
	require.NoError(t, err)
	var links []string
	for _, e := range all {
		links = append(links, e.URI+" "+e.Link)
	}
	require.Equal(t, []string{"/a/x x", "/b/x y", "/b/x z"}, links)
}

func TestReadRefuses(t *testing.T) {
	for name, set := range map[string][2]string{
		"leaves":      {conf.JobCacheFiles.Name, "/a#../x"},
		"absolute":    {conf.JobCacheFiles.Name, "/a#/etc/passwd"},
		"itself":      {conf.JobCacheFiles.Name, "/a#."},
		"no file":     {conf.JobCacheFiles.Name, "#x"},
		"twice":       {conf.JobCacheFiles.Name, "/a/x,/b/x"},
		"inside":      {conf.JobCacheFiles.Name, "/a/x,/b/y#x/y"},
		"no archive":  {conf.JobCacheArchives.Name, "/a/x.rar"},
		"root":        {conf.JobCacheFiles.Name, "/"},
		"times":       {conf.JobCacheFilesTimestamps.Name, "1,2"},
		"not numbers": {conf.JobCacheFilesFileSizes.Name, "many"},
	} {
		c := conf.New()
		c.Set(conf.JobCacheFiles.Name, "/ok", "test")
		c.Set(set[0], set[1], "test")
		_, err := Read(c)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
	}
}
