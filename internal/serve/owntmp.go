package serve

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owndir"
)

// ownTmp checks hadoop.tmp.dir if it exists. If users' tasks must pass through it, ownTmp permits
// that. Another process of this user, such as a command that runs a job itself, might have created
// it with mode Private.
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
