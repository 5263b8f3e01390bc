package serve

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owndir"
)

// ownTmp checks hadoop.tmp.dir and the daemons' directories in it, if they exist. If users' tasks
// must pass through them, ownTmp adds the necessary permissions. These can be missing if another
// process of this user, such as a command that runs a job itself, has created a directory with mode
// Private.
func ownTmp(c *conf.Config) error {
	tmp := conf.HadoopTmpDir.Get(c)
	for _, dir := range []string{tmp, filepath.Join(tmp, "mapred"), filepath.Join(tmp, "mrcluster")} {
		if _, err := os.Lstat(dir); err != nil {
			continue
		}
		if err := owndir.Make(dir, owndir.Crossed(), conf.HadoopTmpDir.Name); err != nil {
			return err
		}
	}
	return nil
}
