package runner

import (
	"errors"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

func newClusterRunner(b base) (mapreduce.Runner, error) {
	return nil, failure.New(failure.Unreachable, "connect", b.Config.Conf.Get("mapreduce.jobtracker.address"), errors.New("no client"))
}
