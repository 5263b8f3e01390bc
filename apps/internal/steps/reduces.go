package steps

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// NeedReduces returns an error of kind Config if the user has set the number of reduces to 0,
// because the next job would then read map output.
func NeedReduces(c *conf.Config) error {
	n, err := mapreduce.Reduces(c)
	if err == nil && n == 0 {
		err = c.Refuse(conf.JobReduces.Name, errors.New("this application needs reduces")).
			Fix("set it to 1 or more, or remove it")
	}
	return err
}
