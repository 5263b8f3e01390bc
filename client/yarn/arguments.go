package yarn

import (
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/piped"
)

// passed lists the job settings that Hadoop acts on. They are passed on unless they are from an XML
// file, because Hadoop reads its own files itself. A name that ends with a dot is a prefix.
var passed = []string{
	"mapreduce.job.name", "mapreduce.job.queuename", "mapreduce.job.priority", "mapreduce.job.tags",
	"mapreduce.job.acl-view-job",
	"mapreduce.job.acl-modify-job", "mapreduce.job.end-notification.", "mapreduce.job.running.",
	"mapreduce.job.maxtaskfailures.per.tracker",
	"mapreduce.job.reduce.slowstart.completedmaps", "mapreduce.job.counters.", "mapreduce.job.node-label-expression",
	"mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "mapreduce.map.cpu.vcores", "mapreduce.reduce.cpu.vcores",
	"mapreduce.map.maxattempts", "mapreduce.reduce.maxattempts", "mapreduce.map.speculative",
	"mapreduce.reduce.speculative",
	"mapreduce.map.failures.maxpercent", "mapreduce.reduce.failures.maxpercent", "mapreduce.task.timeout",
	"mapred.child.env", "mapreduce.map.env", "mapreduce.reduce.env",
	"mapreduce.reduce.shuffle.", "mapreduce.fileoutputcommitter.marksuccessfuljobs", "yarn.",
}

// streaming describes a Streaming job.
type streaming struct {
	conf    *conf.Config
	name    string // default name of the job
	program string // local file
	staged  string // URI of the staging directory
	output  string // URI
	reduces int
	cuts    string // URI of the partition file; "" means none
}

// arguments returns the command-line arguments of Hadoop Streaming.
func (s *streaming) arguments() []string {
	var out []string
	set := func(key, value string) { out = append(out, "-D", key+"="+value) }
	for _, p := range s.conf.Properties(true) {
		if passes(p) {
			set(p.Name, p.Value)
		}
	}
	if conf.JobName.Get(s.conf) == "" {
		set("mapreduce.job.name", s.name)
	}
	set("mapreduce.job.reduces", strconv.Itoa(s.reduces))
	set("mapreduce.input.lineinputformat.linespermap", "1")
	set("stream.map.input.ignoreKey", "true")
	set("stream.map.output", "rawbytes")
	set("stream.reduce.input", "rawbytes")
	set("mapreduce.fileoutputcommitter.algorithm.version", "1") // all or nothing
	java := conf.YARNTaskJavaOpts.Get(s.conf)
	set("mapreduce.map.java.opts", java)
	set("mapreduce.reduce.java.opts", java)
	set("mapreduce.task.io.sort.mb", "64") // in MiB; Hadoop's process only passes on sorted data
	if s.cuts != "" {
		set("mapreduce.totalorderpartitioner.path", s.cuts)
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
	if p.Name == mapreduce.KeyReduces || strings.Contains(p.Source, ".xml") {
		return false
	}
	for _, name := range passed {
		if p.Name == name || strings.HasSuffix(name, ".") && strings.HasPrefix(p.Name, name) {
			return true
		}
	}
	return false
}
