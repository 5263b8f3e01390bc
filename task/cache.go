package task

import (
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/mapreduce"
)

// cacheFiles returns the distributed cache files, which are linked in workDir, the attempt's
// working directory. It also stores their local paths in c, the attempt's configuration.
func cacheFiles(c *conf.Config, workDir string) ([]mapreduce.CacheFile, error) {
	if conf.JobCacheFiles.Get(c) == "" && conf.JobCacheArchives.Get(c) == "" {
		return nil, nil
	}
	entries, err := distcache.Read(c)
	if err != nil {
		return nil, err
	}
	all := make([]mapreduce.CacheFile, len(entries))
	var files, archives []string
	for i, e := range entries {
		f := mapreduce.CacheFile{Name: e.Link, Path: filepath.Join(workDir, e.Link), URI: e.URI, Archive: e.Archive}
		all[i] = f
		if e.Archive {
			archives = append(archives, f.Path)
		} else {
			files = append(files, f.Path)
		}
	}
	c.Set(conf.JobCacheLocalFiles.Name, strings.Join(files, ","), "task")
	c.Set(conf.JobCacheLocalArchives.Name, strings.Join(archives, ","), "task")
	return all, nil
}
