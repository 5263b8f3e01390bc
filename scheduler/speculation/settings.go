package speculation

import (
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

const (
	jobPrefix = "mapreduce.job.speculative." // prefix of the keys that a job can set for itself

)

// settings holds the settings of a speculator or of one job. read lists their keys. Times are in
// milliseconds.
type settings struct {
	lag, interval      int64
	gap                float64
	cap, capTotal      float64
	minimum            int32
	slowTask, slowNode float64
	retryNo, retryYes  int64
	byPercentile       bool
	percentile         float64
}

// read reads the settings in c. The table of configuration keys provides the defaults.
func read(c *conf.Config) (settings, error) {
	r := conf.Reader{Conf: c}
	s := settings{
		lag:        conf.SpeculationLagMS.From(&r),
		interval:   conf.SpeculationIntervalMS.From(&r),
		gap:        conf.SpeculationGap.From(&r),
		cap:        conf.JobSpeculativeSpeculativeCap.From(&r),
		capTotal:   conf.JobSpeculativeSpeculativeCapTotalTasks.From(&r),
		minimum:    int32(conf.JobSpeculativeMinimumAllowedTasks.From(&r)),
		slowTask:   conf.JobSpeculativeSlowTaskThreshold.From(&r),
		slowNode:   conf.JobSpeculativeSlowNodeThreshold.From(&r),
		retryNo:    conf.JobSpeculativeRetryAfterNoSpeculate.From(&r),
		retryYes:   conf.JobSpeculativeRetryAfterSpeculate.From(&r),
		percentile: conf.SpeculationLatePercentile.From(&r),

		byPercentile: conf.SpeculationLateThreshold.From(&r) == "percentile",
	}
	return s, r.Err
}

// Check returns an error if a speculation setting in c is invalid. c must include the job's own
// settings. The error is of kind Config and names the key.
func Check(c *conf.Config) error {
	_, err := read(c)
	return err
}

// forJob returns the settings for the job. The job's own settings of Hadoop's keys override those
// of c. If the job has none, forJob returns s, which was read from c.
func forJob(c *conf.Config, s *settings, spec *job.Spec) (*settings, error) {
	own := c
	for _, p := range spec.Conf {
		if strings.HasPrefix(p.Name, jobPrefix) {
			if own == c {
				own = c.Clone()
			}
			own.Set(p.Name, p.Value, "the job")
		}
	}
	if own == c {
		return s, nil
	}
	set, err := read(own)
	return &set, err
}
