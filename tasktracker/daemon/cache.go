package daemon

import (
	"bytes"
	"context"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/distcache"
)

// localizeWishes applies the optional settings that a job has for the nodes that run its tasks. It
// fetches the files that the tasks expect in their working directories. It also determines which
// files to preserve, how many cores a task gets, and how long its logs can be.
func (d *Daemon) localizeWishes(ctx context.Context, j *localJob, xml []byte) (err error) {
	j.logLimit, j.ownLogs = conf.TaskUserLogLimitKB.BuiltIn()<<10, mayLogMore(xml)
	if !distcache.Has(xml) && !mayPreserve(xml) && !bytes.Contains(xml, []byte(".cpu.vcores")) &&
		!bytes.Contains(xml, []byte("userlog.limit.kb")) {
		return nil // skip parsing
	}
	c := conf.New()
	c.Restrict()
	if err := c.LoadXML(bytes.NewReader(xml), jobConf); err != nil {
		return err
	}
	if j.preserving, err = preserves(c); err != nil {
		return err
	}
	for kind, key := range [2]*conf.Int{&conf.MapCPUVCores, &conf.ReduceCPUVCores} {
		if j.vcores[kind], err = key.Get(c); err != nil {
			return err
		}
	}
	kb, err := conf.TaskUserLogLimitKB.Get(c)
	if err != nil {
		return err
	}
	j.logLimit = kb << 10
	entries, err := distcache.Read(c)
	if err != nil {
		return err
	}
	user := distcache.User{Name: j.info.GetUser(), Give: func(dir string) error { return give(dir, j.account) }}
	j.cache, err = d.cache.Acquire(ctx, j.fs, user, entries)
	return err
}
