package serve

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owndir"
)

// ownTmp checks hadoop.tmp.dir if it exists. If users' tasks must pass through the directory,
// ownTmp adds the necessary permissions. They can be missing if another process of this user, such
// as a command that runs a job itself, has created the directory with mode Private.
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
