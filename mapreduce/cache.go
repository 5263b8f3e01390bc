package mapreduce

import (
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// CacheFile is a task's local copy of a file, directory, or archive in the job's distributed cache.
type CacheFile struct {
	Name    string // name in the working directory: the URI's fragment, or else the last element of its path
	Path    string // path on the local disk; for an archive, the directory with its contents
	URI     string // original location
	Archive bool
}

// AddCacheFile adds a file or directory to the job's distributed cache. Tasks on a node share one
// copy. In a task's working directory, the file keeps its name, or is called NAME if uri has the
// form URI#NAME. The file must not change while the job runs.
func AddCacheFile(c *conf.Config, uri string) { addURI(c, conf.JobCacheFiles.Name, uri) }

// AddCacheArchive adds a .zip, .jar, .tar, .tar.gz or .tgz to the job's distributed cache. It is
// like AddCacheFile, except that tasks get a directory with the archive's contents.
func AddCacheArchive(c *conf.Config, uri string) { addURI(c, conf.JobCacheArchives.Name, uri) }

func addURI(c *conf.Config, key, uri string) {
	if before := c.Get(key); before != "" {
		uri = before + "," + uri
	}
	c.Set(key, uri, "programmatically")
}

// CacheFiles returns the files in the job's distributed cache.
func (c *Context) CacheFiles() []CacheFile { return c.task.Cache }

// CacheFile returns the local path of the CacheFile with the given Name, or an error of kind
// NotFound. On a cluster, the working directory of the process also contains a link to the file.
// Tasks of an in-process run share one process and must use the returned path.
func (c *Context) CacheFile(name string) (string, error) {
	for i := range c.task.Cache {
		if c.task.Cache[i].Name == name {
			return c.task.Cache[i].Path, nil
		}
	}
	return "", failure.New(failure.NotFound, "find in the distributed cache", name,
		fmt.Errorf("none of its %d entries has this name", len(c.task.Cache))).
		Fix("add it to the job with -files or mapreduce.job.cache.files")
}
