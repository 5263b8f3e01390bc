package daemon

import (
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/wire/tracker"
)

// as gives the file systems in a user's name, with what proves it; info may be nil. release them when done.
func (d *Daemon) as(user string, info *tracker.JobInfo) (fs dfs.Resolver, release func(), err error) {
	if d.cfg.As == nil {
		return d.cfg.FS, func() {}, nil
	}
	return d.cfg.As(user, info.GetCredentials())
}

// resolveAs gives one file system and a path on it in a user's name.
func (d *Daemon) resolveAs(user string, info *tracker.JobInfo, name string) (fs dfs.FileSystem, path string, release func(), err error) {
	r, release, err := d.as(user, info)
	if err != nil {
		return nil, "", nil, err
	}
	if fs, path, err = r.Resolve(name); err != nil {
		release()
		return nil, "", nil, err
	}
	return fs, path, release, nil
}
