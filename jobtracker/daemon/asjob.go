package daemon

import (
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/wire/tracker"
)

// as returns file systems that act for a user, with the credentials in info. If info is nil, they
// have no credentials. The caller must call release.
func (d *Daemon) as(user string, info *tracker.JobInfo) (fs dfs.Resolver, release func(), err error) {
	if d.cfg.As == nil {
		return d.cfg.FS, func() {}, nil
	}
	return d.cfg.As(user, info.GetCredentials())
}

// resolveAs returns the file system and the path to which name refers. Like as, it acts for a user,
// and the caller must call release.
func (d *Daemon) resolveAs(user string, info *tracker.JobInfo, name string) (
	fs dfs.FileSystem, path string, release func(), err error,
) {
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
