package task

import (
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// taskConf returns the job's configuration with the settings that Hadoop adds for each task.
func taskConf(s *Spec, info mapreduce.TaskInfo, outputDir string) *conf.Config {
	c := info.Configure(s.Conf)
	c.Set(conf.JobSkipRecords.Name, strconv.FormatBool(s.Skips != nil), "task")
	if outputDir != "" {
		c.Set(conf.TaskOutputDir.Name, outputDir, "task")
	}
	return c
}
