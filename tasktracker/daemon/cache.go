package daemon

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/job/failure"
)

// localiseWishes does what some jobs want of their nodes: it fetches what their tasks want to find in their working directories, and
// reads which files stay behind and how many cores a task is to have.
func (d *Daemon) localiseWishes(ctx context.Context, j *localJob) error {
	name := filepath.Join(j.home, jobConf)
	xml, err := os.ReadFile(name)
	if err != nil {
		return failure.New(failure.KindOf(err), "read", name, err)
	}
	if !distcache.Has(xml) && !mayPreserve(xml) && !bytes.Contains(xml, []byte(".cpu.vcores")) {
		return nil // and need not be parsed
	}
	c := conf.New()
	if err := c.LoadFile(name); err != nil {
		return err
	}
	if j.preserving, err = preserves(c); err != nil {
		return err
	}
	for kind, key := range [2]string{"mapreduce.map.cpu.vcores", "mapreduce.reduce.cpu.vcores"} {
		if j.vcores[kind], err = c.Int(key, 1, 1, 1024); err != nil {
			return err
		}
	}
	entries, err := distcache.Read(c)
	if err != nil {
		return err
	}
	j.cache, err = d.cache.Acquire(ctx, j.fs, j.info.GetUser(), entries)
	return err
}
