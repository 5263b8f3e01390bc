package apachehadoop

import (
	"bytes"
	"encoding/xml"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/job/failure"
)

// openModules lets libraries of Java 8's time reflect on Java 17's classes.
const openModules = "--add-opens java.base/java.lang=ALL-UNNAMED"

// pair is one property.
type pair struct{ name, value string }

// writeSite writes one of Hadoop's configuration files.
func writeSite(file string, props ...pair) error {
	var b bytes.Buffer
	b.WriteString("<configuration>\n")
	for _, p := range props {
		b.WriteString("<property><name>" + p.name + "</name><value>")
		_ = xml.EscapeText(&b, []byte(p.value))
		b.WriteString("</value></property>\n")
	}
	b.WriteString("</configuration>\n")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write", file, err)
	}
	return nil
}

// configure writes the configuration of a cluster into c.dir/conf.
func (c *Cluster) configure() error {
	conf := c.confDir()
	for _, d := range []string{conf, filepath.Join(c.dir, "logs"), filepath.Join(c.dir, "data")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return failure.New(failure.KindOf(err), "make directory", d, err)
		}
	}
	// The published jars hold no web pages, and the daemons do not start without the folders.
	for _, w := range []string{"hdfs", "datanode", "static", "cluster", "node", "yarn", "mapreduce"} {
		d := filepath.Join(conf, "webapps", w, "WEB-INF")
		if err := os.MkdirAll(d, 0o755); err != nil {
			return failure.New(failure.KindOf(err), "make directory", d, err)
		}
		if err := os.WriteFile(filepath.Join(d, "web.xml"), []byte("<web-app></web-app>\n"), 0o644); err != nil {
			return failure.New(failure.KindOf(err), "write", d, err)
		}
	}
	log := "log4j.rootLogger=INFO,stderr\nlog4j.appender.stderr=org.apache.log4j.ConsoleAppender\nlog4j.appender.stderr.target=System.err\n" +
		"log4j.appender.stderr.layout=org.apache.log4j.PatternLayout\nlog4j.appender.stderr.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n\n"
	if err := os.WriteFile(filepath.Join(conf, "log4j.properties"), []byte(log), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write", conf, err)
	}
	return c.writeSites(conf)
}

func (c *Cluster) writeSites(conf string) error {
	a, err := freeport.Addrs(13)
	if err != nil {
		return err
	}
	_, shufflePort, _ := net.SplitHostPort(a[12])
	c.nameNode = "hdfs://" + c.o.Kerberos.host(a[0])
	data := filepath.Join(c.dir, "data")
	classpath := conf + "," + c.lib + "/*"
	heap := "-Xmx" + strconv.Itoa(c.o.TaskHeapMB) + "m"
	sites := map[string][]pair{
		"core-site.xml": {{"fs.defaultFS", c.nameNode}, {"hadoop.tmp.dir", data}},
		"hdfs-site.xml": {{"dfs.replication", "1"}, {"dfs.namenode.http-address", a[1]}, {"dfs.datanode.address", a[2]},
			{"dfs.datanode.ipc.address", a[3]}, {"dfs.datanode.http.address", a[4]}, {"dfs.namenode.datanode.registration.ip-hostname-check", "false"}},
		"mapred-site.xml": {{"mapreduce.framework.name", "yarn"}, {"mapreduce.application.classpath", classpath}, {"mapreduce.shuffle.port", shufflePort},
			{"yarn.app.mapreduce.am.resource.mb", "1024"}, {"yarn.app.mapreduce.am.command-opts", "-Xmx800m " + openModules},
			{"mapreduce.map.java.opts", heap}, {"mapreduce.reduce.java.opts", heap}, {"mapreduce.map.memory.mb", "1024"}, {"mapreduce.reduce.memory.mb", "1024"}},
		"yarn-site.xml": {{"yarn.resourcemanager.hostname", "127.0.0.1"}, {"yarn.resourcemanager.address", a[5]}, {"yarn.resourcemanager.scheduler.address", a[6]},
			{"yarn.resourcemanager.resource-tracker.address", a[7]}, {"yarn.resourcemanager.admin.address", a[8]}, {"yarn.resourcemanager.webapp.address", a[9]},
			{"yarn.nodemanager.hostname", "127.0.0.1"}, {"yarn.nodemanager.localizer.address", a[10]}, {"yarn.nodemanager.webapp.address", a[11]},
			{"yarn.nodemanager.aux-services", "mapreduce_shuffle"}, {"yarn.application.classpath", classpath},
			{"yarn.nodemanager.resource.memory-mb", "8192"}, {"yarn.nodemanager.resource.cpu-vcores", "4"}, {"yarn.nodemanager.vmem-check-enabled", "false"},
			{"yarn.scheduler.minimum-allocation-mb", "512"}, {"yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99"},
			{"yarn.nodemanager.local-dirs", filepath.Join(data, "nm-local")}, {"yarn.nodemanager.log-dirs", filepath.Join(data, "nm-logs")}},
		"capacity-scheduler.xml": {{"yarn.scheduler.capacity.root.queues", "default"}, {"yarn.scheduler.capacity.root.default.capacity", "100"},
			{"yarn.scheduler.capacity.maximum-am-resource-percent", "0.5"}},
	}
	for name, props := range sites {
		if err := writeSite(filepath.Join(conf, name), append(props, c.o.Kerberos.site(name)...)...); err != nil {
			return err
		}
	}
	return nil
}
