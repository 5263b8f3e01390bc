package speculation

import (
	"errors"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// The keys. Those of Hadoop may be set for a job, too, and then count for it alone.
const (
	jobPrefix = "mapreduce.job.speculative." // of what a job may set itself

	// CapKey: share of what runs (late: of the cluster's slots) that may be second attempts.
	CapKey = "mapreduce.job.speculative.speculativecap"
	// SlowTaskKey: deviations below the mean rate that make a task slow (late by deviation).
	SlowTaskKey = "mapreduce.job.speculative.slowtaskthreshold"
	// SlowNodeKey: deviations above the mean duration that make a tracker slow (late by deviation).
	SlowNodeKey = "mapreduce.job.speculative.slownodethreshold"
	// CapTotalKey: share of all tasks of a type that may have a second attempt at once (mrv2).
	CapTotalKey = "mapreduce.job.speculative.speculative-cap-total-tasks"
	// MinimumKey: second attempts that are always allowed at once (mrv2).
	MinimumKey = "mapreduce.job.speculative.minimum-allowed-tasks"
	// RetryNoKey and RetryYesKey: ms between two looks at a job's tasks of a type, when the first found none and one task (mrv2).
	RetryNoKey  = "mapreduce.job.speculative.retry-after-no-speculate"
	RetryYesKey = "mapreduce.job.speculative.retry-after-speculate"

	// LagKey: ms that an attempt must have run before it is judged (hadoop1, late). Hadoop's SPECULATIVE_LAG.
	LagKey = "howdah.speculation.lag.ms"
	// IntervalKey: ms between two looks at a job's tasks (hadoop1, late).
	IntervalKey = "howdah.speculation.interval.ms"
	// GapKey: how far a task must be behind the average (hadoop1). Hadoop's SPECULATIVE_GAP.
	GapKey = "howdah.speculation.gap"
	// ThresholdKey: what makes tasks and trackers slow for late: percentile, as in the paper, or deviation, as in Hadoop 0.21.
	ThresholdKey = "howdah.speculation.late.threshold"
	// PercentileKey: the percentile below which tasks and trackers are slow (late by percentile).
	PercentileKey = "howdah.speculation.late.percentile"
)

// settings of a speculator, or of one job under it. Times are in milliseconds.
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

const day = 24 * 3600 * 1000

// read takes the settings from c; what it does not set is as the table of keys says.
func read(c *conf.Config) (settings, error) {
	r := reader{conf.Reader{Conf: c}}
	s := settings{
		lag:        r.whole(LagKey, 0, day),
		interval:   r.whole(IntervalKey, 1, day),
		gap:        r.share(GapKey, 1),
		cap:        r.share(CapKey, 1),
		capTotal:   r.share(CapTotalKey, 1),
		minimum:    int32(r.whole(MinimumKey, 0, 1_000_000)),
		slowTask:   r.share(SlowTaskKey, 100),
		slowNode:   r.share(SlowNodeKey, 100),
		retryNo:    r.whole(RetryNoKey, 1, day),
		retryYes:   r.whole(RetryYesKey, 1, day),
		percentile: r.share(PercentileKey, 100),
	}
	switch v := c.Get(ThresholdKey); v {
	case "percentile":
		s.byPercentile = true
	case "deviation":
	default:
		r.Note(c.Refuse(ThresholdKey, errors.New("want percentile or deviation")))
	}
	return s, r.Err
}

// Check refuses settings of a job that cannot be used. The error is of kind Config and names the key.
func Check(c *conf.Config) error {
	_, err := read(c)
	return err
}

// reader reads numbers whose default is in the table of keys.
type reader struct{ conf.Reader }

func (r *reader) whole(key string, min, max int64) int64 {
	return r.Int(key, min, min, max)
}

func (r *reader) share(key string, max float64) float64 {
	return r.Float(key, 0, 0, max)
}

// forJob gives the settings for a job: those of c, the speculator's, but for what the job sets itself.
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
