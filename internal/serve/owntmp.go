package serve

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owndir"
)

// ownTmp checks the directory for files that the configuration places nowhere else, if it exists. If
// users' tasks must pass it, ownTmp lets them: other processes of this user, such as commands that run
// jobs themselves, might have created it for themselves only.
func ownTmp(c *conf.Config) error {
	tmp := conf.HadoopTmpDir.Get(c)
	for _, dir := range []string{tmp, filepath.Join(tmp, "mapred"), filepath.Join(tmp, "mrcluster")} {
		if _, err := os.Lstat(dir); err != nil {
			continue
		}
		if err := owndir.Make(dir, owndir.Crossed(), "hadoop.tmp.dir"); err != nil {
			return err
		}
	}
	return nil
}
