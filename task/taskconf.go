package task

import (
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// taskConf returns the job's configuration with the settings that Hadoop adds for each task.
func taskConf(s *Spec, outputDir string) *conf.Config {
	c := s.Conf.Clone()
	id := s.Attempt
	set := func(key, value string) { c.Set(key, value, "task") }
	set("mapreduce.job.id", id.Job.String())
	set("mapreduce.task.id", id.TaskID.String())
	set("mapreduce.task.attempt.id", id.String())
	set("mapreduce.task.ismap", strconv.FormatBool(id.Type == job.Map))
	set("mapreduce.task.partition", strconv.Itoa(int(id.Index)))
	set("mapreduce.job.local.dir", s.WorkDir)
	set("mapreduce.job.skiprecords", strconv.FormatBool(s.Skips != nil))
	if outputDir != "" {
		set("mapreduce.task.output.dir", outputDir)
	}
	if s.Split != nil && len(s.Split.Chunks) == 1 {
		ch := s.Split.Chunks[0]
		set("mapreduce.map.input.file", ch.Path)
		set("mapreduce.map.input.start", strconv.FormatInt(ch.Start, 10))
		set("mapreduce.map.input.length", strconv.FormatInt(ch.Length, 10))
	}
	return c
}
