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
	conf.FrameworkName.Name,
	conf.JobTrackerAddress.Name, conf.JobTrackerHTTPAddress.Name, conf.TaskTrackerHTTPAddress.Name,
	conf.ClusterLocalDir.Name,
	conf.JobTrackerDir.Name, conf.HadoopLogDir.Name,
}

// Fixed reports whether minicluster sets key itself.
func Fixed(key string) bool { return slices.Contains(fixedKeys, conf.Canonical(key)) }

// writeConf writes the configuration for the cluster's clients and parts.
func writeConf(l layout, p ports, set []conf.Property) error {
	site := []conf.Property{
		{Name: conf.FrameworkName.Name, Value: "classic"},
		{Name: conf.JobTrackerAddress.Name, Value: p.addr(jobTrackerRPC)},
		{Name: conf.JobTrackerHTTPAddress.Name, Value: p.addr(jobTrackerHTTP)},
		{Name: conf.JobTrackerSystemDir.Name, Value: "file:" + l.system()},
		{Name: conf.JobTrackerStagingRootDir.Name, Value: "file:" + filepath.Join(l.dir, "staging")},
		{Name: conf.JobTrackerDir.Name, Value: filepath.Join(l.dir, "jobtracker")},
	}
	core := []conf.Property{
		{Name: conf.FSDefaultFS.Name, Value: "file:///"},
		{Name: conf.HadoopTmpDir.Name, Value: filepath.Join(l.dir, "tmp")},
	}
	for _, s := range set {
		if name := conf.Canonical(s.Name); name == conf.FSDefaultFS.Name || name == conf.HadoopTmpDir.Name {
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
