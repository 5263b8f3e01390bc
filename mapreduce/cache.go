package mapreduce

import (
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// The keys of the distributed cache: lists of URIs, each with #NAME behind it or not.
const (
	KeyCacheFiles    = "mapreduce.job.cache.files"
	KeyCacheArchives = "mapreduce.job.cache.archives"
)

// CacheFile is one file, directory or archive of the job's distributed cache, as a task finds it.
type CacheFile struct {
	Name    string // in the working directory: the URI's fragment, or else the last element of its path
	Path    string // on the local disk; of an archive the directory that it was unpacked into
	URI     string // where it came from
	Archive bool
}

// AddCacheFile makes a file or directory part of the job's distributed cache: each node fetches it once, and every task finds it
// under its name, or under NAME of URI#NAME, in its working directory. It must not change while the job runs.
func AddCacheFile(c *conf.Config, uri string) { addURI(c, KeyCacheFiles, uri) }

// AddCacheArchive is AddCacheFile for a .zip, .jar, .tar, .tar.gz or .tgz: tasks find a directory with what it holds.
func AddCacheArchive(c *conf.Config, uri string) { addURI(c, KeyCacheArchives, uri) }

func addURI(c *conf.Config, key, uri string) {
	if before := c.Get(key); before != "" {
		uri = before + "," + uri
	}
	c.Set(key, uri, "programmatically")
}

// CacheFiles lists the job's distributed cache.
func (c *Context) CacheFiles() []CacheFile { return c.task.Cache }

// CacheFile gives the local path of what the distributed cache has under a name; kind NotFound if it has no such thing. On a
// cluster it is linked in the task's current directory as well; tasks of an in-process run share one process and have none of
// their own.
func (c *Context) CacheFile(name string) (string, error) {
	for i := range c.task.Cache {
		if c.task.Cache[i].Name == name {
			return c.task.Cache[i].Path, nil
		}
	}
	return "", failure.New(failure.NotFound, "find in the distributed cache", name, fmt.Errorf("it has %d entries, none of this name", len(c.task.Cache))).
		Fix("give it to the job by -files or mapreduce.job.cache.files")
}
