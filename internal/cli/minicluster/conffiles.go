package minicluster

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// fixedKeys are the settings that minicluster sets itself.
var fixedKeys = []string{
	"mapreduce.framework.name",
	"mapreduce.jobtracker.address", "mapreduce.jobtracker.http.address", "mapreduce.tasktracker.http.address",
	"mapreduce.cluster.local.dir",
	keyJobTrackerDir, "hadoop.log.dir",
}

const keyJobTrackerDir = "howdah.jobtracker.dir"

// Fixed reports whether minicluster sets key itself.
func Fixed(key string) bool { return slices.Contains(fixedKeys, conf.Canonical(key)) }

// writeConf writes the configuration for the cluster's clients and parts.
func writeConf(l layout, p ports, set []conf.Property) error {
	site := []conf.Property{
		{Name: "mapreduce.framework.name", Value: "classic"},
		{Name: "mapreduce.jobtracker.address", Value: p.addr(jobTrackerRPC)},
		{Name: "mapreduce.jobtracker.http.address", Value: p.addr(jobTrackerHTTP)},
		{Name: "mapreduce.jobtracker.system.dir", Value: "file:" + l.system()},
		{Name: "mapreduce.jobtracker.staging.root.dir", Value: "file:" + filepath.Join(l.dir, "staging")},
		{Name: keyJobTrackerDir, Value: filepath.Join(l.dir, "jobtracker")},
	}
	core := []conf.Property{
		{Name: "fs.defaultFS", Value: "file:///"},
		{Name: "hadoop.tmp.dir", Value: filepath.Join(l.dir, "tmp")},
	}
	for _, s := range set {
		if name := conf.Canonical(s.Name); name == "fs.defaultFS" || name == "hadoop.tmp.dir" {
			core = append(core, conf.Property{Name: name, Value: s.Value})
		} else {
			site = append(site, conf.Property{Name: name, Value: s.Value})
		}
	}
	if err := writeSite(filepath.Join(l.conf(), "core-site.xml"), core); err != nil {
		return err
	}
	return writeSite(filepath.Join(l.conf(), "mapred-site.xml"), site)
}

// writeSite writes one of Hadoop's configuration files. The last value of a name takes effect.
func writeSite(file string, props []conf.Property) error {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	for _, p := range props {
		b.WriteString("  <property><name>")
		_ = xml.EscapeText(&b, []byte(p.Name))
		b.WriteString("</name><value>")
		_ = xml.EscapeText(&b, []byte(p.Value))
		b.WriteString("</value></property>\n")
	}
	b.WriteString("</configuration>\n")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write configuration", file, err)
	}
	return nil
}
