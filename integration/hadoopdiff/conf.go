//go:build integration

package hadoopdiff

import (
	"os"
	"path/filepath"
	"strings"
)

// settings apply to both sides. They reduce buffers because the cases are many small jobs, and they
// avoid pauses.
var settings = map[string]string{
	"fs.defaultFS":                                  "file:///",
	"mapreduce.framework.name":                      "local",
	"mapreduce.task.io.sort.mb":                     "8",
	"mapreduce.client.progressmonitor.pollinterval": "10",
	"mapreduce.client.completion.pollinterval":      "10",
	"mapreduce.reduce.shuffle.input.buffer.percent": "0.1",
}

const log4j = `log4j.rootLogger=WARN,stderr
log4j.logger.org.apache.hadoop.mapreduce.Job=INFO
log4j.logger.org.apache.hadoop.mapreduce.JobResourceUploader=ERROR
log4j.logger.org.apache.hadoop.metrics2=ERROR
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target=System.err
log4j.appender.stderr.follow=true
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%m%n
`

// site returns the settings that start with prefix, in the format of a Hadoop configuration file.
// mapreduce keys must not be in core-site.xml because Hadoop loads the mapreduce defaults later,
// which would override them.
func site(prefix string) string {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for k, v := range settings {
		if strings.HasPrefix(k, prefix) {
			b.WriteString("<property><name>" + k + "</name><value>" + v + "</value></property>\n")
		}
	}
	b.WriteString("</configuration>\n")
	return b.String()
}

// WriteConf writes a configuration directory for both sides.
func WriteConf(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"core-site.xml": site("fs."), "mapred-site.xml": site("mapreduce."),
		"log4j.properties": log4j} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
