package yarn

import (
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/task/piped"
)

// passed lists the job settings that Hadoop uses. arguments passes them to Hadoop, except those
// from an XML file, because Hadoop reads its own files. A name that ends with a dot is a prefix.
var passed = []string{
	conf.JobName.Name, conf.JobQueueName.Name, conf.JobPriority.Name, conf.JobTags.Name,
	conf.JobACLViewJob.Name,
	conf.JobACLModifyJob.Name, "mapreduce.job.end-notification.", "mapreduce.job.running.",
	conf.JobMaxTaskFailuresPerTracker.Name,
	conf.JobReduceSlowStartCompletedMaps.Name, "mapreduce.job.counters.", conf.JobNodeLabelExpression.Name,
	conf.MapMemoryMB.Name, conf.ReduceMemoryMB.Name, conf.MapCPUVCores.Name, conf.ReduceCPUVCores.Name,
	conf.MapMaxAttempts.Name, conf.ReduceMaxAttempts.Name, conf.MapSpeculative.Name,
	conf.ReduceSpeculative.Name,
	conf.MapFailuresMaxPercent.Name, conf.ReduceFailuresMaxPercent.Name, conf.TaskTimeout.Name,
	conf.ChildEnv.Name, conf.MapEnv.Name, conf.ReduceEnv.Name,
	"mapreduce.reduce.shuffle.", conf.FileOutputCommitterMarkSuccessfulJobs.Name, "yarn.",
}

type streaming struct {
	conf    *conf.Config
	name    string // default name of the job
	program string // local file
	staged  string // URI of the staging directory
	output  string // URI
	reduces int
	cuts    string // URI of the partition file; "" means none
}

func (s *streaming) arguments() []string {
	var out []string
	set := func(key, value string) { out = append(out, "-D", key+"="+value) }
	for _, p := range s.conf.Properties(true) {
		if passes(p) {
			set(p.Name, p.Value)
		}
	}
	if conf.JobName.Get(s.conf) == "" {
		set(conf.JobName.Name, s.name)
	}
	set(conf.JobReduces.Name, strconv.Itoa(s.reduces))
	set(conf.InputLineInputFormatLinesPerMap.Name, "1")
	set(conf.StreamMapInputIgnoreKey.Name, "true")
	set(conf.StreamMapOutput.Name, "rawbytes")
	set(conf.StreamReduceInput.Name, "rawbytes")
	set("mapreduce.fileoutputcommitter.algorithm.version", "1") // all or nothing
	java := conf.YARNTaskJavaOpts.Get(s.conf)
	set("mapreduce.map.java.opts", java)
	set("mapreduce.reduce.java.opts", java)
	set(conf.TaskIOSortMB.Name, "64") // in MiB; Hadoop's process only passes on sorted data
	if s.cuts != "" {
		set(conf.TotalOrderPartitionerPath.Name, s.cuts)
	}
	out = append(out, "-files", strings.Join([]string{"file://" + s.program + "#" + piped.ProgramFile,
		s.staged + "/job.xml#" + piped.ConfFile, s.staged + "/job.split#" + piped.SplitFile}, ","))
	command := "./" + piped.ProgramFile + " " + piped.Arg
	out = append(out, "-input", s.staged+"/"+linesFile, "-inputformat", "org.apache.hadoop.mapred.lib.NLineInputFormat",
		"-output", s.output, "-outputformat", "org.apache.hadoop.mapred.lib.NullOutputFormat", "-mapper", command+" map")
	if s.cuts != "" {
		out = append(out, "-partitioner", "org.apache.hadoop.mapred.lib.TotalOrderPartitioner")
	}
	if s.reduces == 0 {
		return append(out, "-reducer", "NONE")
	}
	return append(out, "-reducer", command+" reduce")
}

func passes(p conf.Property) bool {
	if p.Name == conf.JobReduces.Name || strings.Contains(p.Source, ".xml") {
		return false
	}
	for _, name := range passed {
		if p.Name == name || strings.HasSuffix(name, ".") && strings.HasPrefix(p.Name, name) {
			return true
		}
	}
	return false
}
