package steps

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// NeedReduces refuses settings of a user's by which jobs would have no reduces and leave to their successors what maps emit. The
// error is kind Config.
func NeedReduces(c *conf.Config) error {
	n, err := mapreduce.Reduces(c)
	if err == nil && n == 0 {
		err = c.Refuse(mapreduce.KeyReduces, errors.New("this application needs reduces")).Fix("set it to 1 or more, or leave it out")
	}
	return err
}
