package fs

import (
	"math"
	"time"

	"github.com/howdah/howdah/conf"
)

// Settings are what the configuration says of the shell.
type Settings struct {
	// Trash is how long deleted files stay in the trash (fs.trash.interval) where the storage does not say it; 0 = there is none.
	Trash time.Duration
	// ConfirmAbove is how many files -rm -safely deletes without a question (hadoop.shell.safely.delete.limit.num.files).
	ConfirmAbove int64
	// Terminal says that messages go to a terminal: long copies show how far they are.
	Terminal bool
}

// FromConf reads the settings.
func FromConf(c *conf.Config) (Settings, error) {
	const century = 100 * 365 * 24 * 60 // minutes
	minutes, err := c.Int("fs.trash.interval", 0, 0, century)
	if err != nil {
		return Settings{}, err
	}
	limit, err := c.Int("hadoop.shell.safely.delete.limit.num.files", 100, 0, math.MaxInt64)
	return Settings{Trash: time.Duration(minutes) * time.Minute, ConfirmAbove: limit}, err
}
