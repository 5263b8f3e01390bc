package daemon

import (
	"context"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/job/failure"
)

// localiseCache fetches what the job wants to find in its tasks' working directories.
func (d *Daemon) localiseCache(ctx context.Context, j *localJob) error {
	name := filepath.Join(j.home, jobConf)
	xml, err := os.ReadFile(name)
	if err != nil {
		return failure.New(failure.KindOf(err), "read", name, err)
	}
	if !distcache.Has(xml) {
		return nil
	}
	c := conf.New()
	if err := c.LoadFile(name); err != nil {
		return err
	}
	entries, err := distcache.Read(c)
	if err != nil {
		return err
	}
	j.cache, err = d.cache.Acquire(ctx, j.fs, j.info.GetUser(), entries)
	return err
}
