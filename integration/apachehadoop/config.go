package apachehadoop

import (
	"bytes"
	"encoding/xml"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// openModules lets libraries written for Java 8 use reflection on Java 17's classes.
const openModules = "--add-opens java.base/java.lang=ALL-UNNAMED"

// writeSite writes a Hadoop configuration file. If a name occurs more than once, the last value
// takes effect.
func writeSite(file string, settings ...Setting) error {
	var b bytes.Buffer
	b.WriteString("<configuration>\n")
	for _, s := range settings {
		b.WriteString("<property><name>" + s.Name + "</name><value>")
		_ = xml.EscapeText(&b, []byte(s.Value))
		b.WriteString("</value></property>\n")
	}
	b.WriteString("</configuration>\n")
	return writeFile(file, b.String(), 0o644)
}

func writeFile(file, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", filepath.Dir(file), err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		return failure.New(failure.KindOf(err), "write", file, err)
	}
	return nil
}

const log4j = `log4j.rootLogger=INFO,stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
`

// configure creates the network, if any, and writes the shared configuration to c.dir/conf. It also
// adds the NameNodes and the YARN daemons to c.parts.
func (c *Cluster) configure() error {
	c.host = c.o.Kerberos.host("127.0.0.1")
	if c.o.Namespaces {
		var err error
		if c.network, err = newNetwork(); err != nil {
			return err
		}
		c.host = c.network.ip
	}
	for _, d := range []string{"logs", "data"} {
		if err := os.MkdirAll(filepath.Join(c.dir, d), 0o755); err != nil {
			return failure.New(failure.KindOf(err), "make directory", c.dir, err)
		}
	}
	// The published jars have no web pages, but the daemons do not start without these folders.
	for _, w := range []string{"hdfs", "datanode", "static", "cluster", "node", "yarn", "mapreduce", "jobhistory"} {
		if err := writeFile(filepath.Join(c.ConfDir(), "webapps", w, "WEB-INF", "web.xml"), "<web-app></web-app>\n",
			0o644); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(c.ConfDir(), "log4j.properties"), log4j, 0o644); err != nil {
		return err
	}
	for _, f := range []string{c.includeFile(), c.excludeFile()} {
		if err := writeFile(f, "", 0o644); err != nil {
			return err
		}
	}
	if err := c.configureHDFS(); err != nil {
		return err
	}
	return c.configureYARN()
}

// writePartConf writes a daemon's own hdfs-site.xml. The daemon reads the other files from the
// shared configuration.
func (c *Cluster) writePartConf(dir string, own []Setting) error {
	if err := writeSite(filepath.Join(dir, "hdfs-site.xml"), append(c.hdfs(), own...)...); err != nil {
		return err
	}
	for _, name := range []string{"core-site.xml", "log4j.properties", "webapps", "mapred-site.xml", "yarn-site.xml"} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(filepath.Join("..", name), link); err != nil && !os.IsExist(err) {
			return failure.New(failure.KindOf(err), "link", link, err)
		}
	}
	return nil
}

// haID returns the ID that the named NameNode has within its name service.
func haID(name string) string { return strings.Replace(name, "namenode", "nn", 1) }

func (c *Cluster) configureHDFS() error {
	names := []string{"namenode"}
	if c.o.HA {
		names = []string{"namenode1", "namenode2"}
	}
	c.active = names[0]
	ports, err := FreePorts(2 * len(names))
	if err != nil {
		return err
	}
	for i, name := range names {
		c.parts = append(c.parts, &part{name: name, class: nameNodeClass, conf: filepath.Join(c.ConfDir(), name),
			rpc: net.JoinHostPort(c.host, ports[2*i]), web: net.JoinHostPort(c.host, ports[2*i+1]), ready: c.nameNodeReady})
	}
	c.nameNode = "hdfs://" + c.parts[0].rpc
	if c.o.HA {
		c.nameNode = "hdfs://ns1"
	}
	core := []Setting{{"fs.defaultFS", c.nameNode}, {"hadoop.tmp.dir", filepath.Join(c.dir, "data")}}
	if c.o.Racks != nil {
		script := filepath.Join(c.ConfDir(), "topology")
		if err := writeFile(script, c.topologyScript(), 0o755); err != nil {
			return err
		}
		core = append(core, Setting{"net.topology.script.file.name", script})
	}
	if err := writeSite(filepath.Join(c.ConfDir(), "core-site.xml"),
		slices.Concat(core, c.o.Kerberos.site("core-site.xml"), c.o.Site)...); err != nil {
		return err
	}
	if err := writeSite(filepath.Join(c.ConfDir(), "hdfs-site.xml"), c.hdfs()...); err != nil {
		return err
	}
	for _, p := range c.parts {
		own := []Setting{{"dfs.namenode.name.dir", filepath.Join(c.dir, "data", p.name)}, {"dfs.hosts", c.includeFile()},
			{"dfs.hosts.exclude", c.excludeFile()}}
		if c.o.HA {
			own = append(own, Setting{"dfs.ha.namenode.id", haID(p.name)})
		}
		if err := c.writePartConf(p.conf, append(own, c.o.NameNode...)); err != nil {
			return err
		}
	}
	return nil
}

// hdfs returns the settings that all HDFS daemons and clients share.
func (c *Cluster) hdfs() []Setting {
	s := []Setting{{"dfs.replication", strconv.Itoa(c.o.Replication)},
		{"dfs.namenode.datanode.registration.ip-hostname-check", "false"},
		{"dfs.namenode.safemode.extension", "0"}}
	nn := c.nameNodes()
	if c.o.HA {
		s = append(s, Setting{"dfs.nameservices", "ns1"}, Setting{"dfs.ha.namenodes.ns1", "nn1,nn2"},
			Setting{"dfs.ha.fencing.methods", "shell(/bin/true)"},
			Setting{"dfs.namenode.shared.edits.dir", "file://" + filepath.Join(c.dir, "data", "shared")},
			Setting{"dfs.ha.tail-edits.period", "1"},
			Setting{"dfs.client.failover.proxy.provider.ns1",
				"org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"})
		for _, p := range nn {
			s = append(s, Setting{"dfs.namenode.rpc-address.ns1." + haID(p.name), p.rpc},
				Setting{"dfs.namenode.http-address.ns1." + haID(p.name), p.web})
		}
	} else {
		s = append(s, Setting{"dfs.namenode.http-address", nn[0].web})
	}
	return slices.Concat(s, c.o.Kerberos.site("hdfs-site.xml"), c.o.Site)
}

func (c *Cluster) configureYARN() error {
	a, err := FreePorts(11)
	if err != nil {
		return err
	}
	for i, port := range a[:10] {
		a[i] = "127.0.0.1:" + port
	}
	conf, data := c.ConfDir(), filepath.Join(c.dir, "data")
	classpath := conf + "," + c.lib + "/*"
	java := func(options ...string) string { return strings.Join(append(options, c.o.javaOptions()...), " ") }
	heap := java("-Xmx" + strconv.Itoa(c.o.TaskHeapMB) + "m")
	mapred := []Setting{{"mapreduce.framework.name", "yarn"}, {"mapreduce.application.classpath", classpath},
		{"mapreduce.shuffle.port", a[10]},
		{"yarn.app.mapreduce.am.resource.mb", "1024"},
		{"yarn.app.mapreduce.am.command-opts", java("-Xmx800m", openModules)},
		{"mapreduce.map.java.opts", heap}, {"mapreduce.reduce.java.opts", heap}, {"mapreduce.map.memory.mb", "1024"},
		{"mapreduce.reduce.memory.mb", "1024"},
		{"mapreduce.jobhistory.address", a[7]}, {"mapreduce.jobhistory.webapp.address", a[8]},
		{"mapreduce.jobhistory.admin.address", a[9]}}
	yarn := []Setting{{"yarn.resourcemanager.hostname", "127.0.0.1"}, {"yarn.resourcemanager.address", a[0]},
		{"yarn.resourcemanager.scheduler.address", a[1]},
		{"yarn.resourcemanager.resource-tracker.address", a[2]}, {"yarn.resourcemanager.admin.address", a[3]},
		{"yarn.resourcemanager.webapp.address", a[4]},
		{"yarn.nodemanager.hostname", "127.0.0.1"}, {"yarn.nodemanager.localizer.address", a[5]},
		{"yarn.nodemanager.webapp.address", a[6]},
		{"yarn.nodemanager.aux-services", "mapreduce_shuffle"}, {"yarn.application.classpath", classpath},
		{"yarn.nodemanager.resource.memory-mb", "8192"}, {"yarn.nodemanager.resource.cpu-vcores", "4"},
		{"yarn.nodemanager.vmem-check-enabled", "false"},
		{"yarn.scheduler.minimum-allocation-mb", "512"},
		{"yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99"},
		{"yarn.nodemanager.local-dirs", filepath.Join(data, "nm-local")},
		{"yarn.nodemanager.log-dirs", filepath.Join(data, "nm-logs")}}
	for name, settings := range map[string][]Setting{"mapred-site.xml": append(mapred, c.o.YARNSite...),
		"yarn-site.xml": append(yarn, c.o.YARNSite...),
		"capacity-scheduler.xml": {{"yarn.scheduler.capacity.root.queues", "default"},
			{"yarn.scheduler.capacity.root.default.capacity", "100"},
			{"yarn.scheduler.capacity.maximum-am-resource-percent", "0.5"}}} {
		if err := writeSite(filepath.Join(conf, name), settings...); err != nil {
			return err
		}
	}
	if c.o.YARN {
		c.parts = append(c.parts,
			&part{name: "resourcemanager", class: resourceManagerClass, conf: conf, rpc: a[0], web: a[4],
				ready: c.logged(`Transitioned to active state`)},
			&part{name: "nodemanager", class: nodeManagerClass, conf: conf, web: a[6],
				ready: c.logged(`Registered with ResourceManager`)})
	}
	if c.o.YARN && c.o.History {
		c.parts = append(c.parts, &part{name: "historyserver", class: historyClass, conf: conf, rpc: a[7], web: a[8],
			ready: c.logged(`IPC Server listener on \d+: starting`)})
	}
	return nil
}
