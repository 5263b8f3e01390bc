package fs

import (
	"time"

	"github.com/howdah/howdah/conf"
)

// Settings are the shell's configuration.
type Settings struct {
	// Trash is how long deleted files stay in the trash (fs.trash.interval), unless the storage
	// defines a different time; 0 means no trash.
	Trash time.Duration
	// ConfirmAbove is the maximum number of files that -rm -safely deletes without confirmation
	// (hadoop.shell.safely.delete.limit.num.files); 0 means no maximum.
	ConfirmAbove int64
	// Terminal means that stderr is a terminal, so that long copies show their progress.
	Terminal bool
}

// FromConf returns the settings from a configuration.
func FromConf(c *conf.Config) (Settings, error) {
	minutes, err := conf.FSTrashInterval.Get(c)
	if err != nil {
		return Settings{}, err
	}
	limit, err := conf.HadoopShellSafelyDeleteLimitNumFiles.Get(c)
	return Settings{Trash: time.Duration(minutes) * time.Minute, ConfirmAbove: limit}, err
}
