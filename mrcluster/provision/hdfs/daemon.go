package hdfs

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// A Daemon configures one HDFS daemon on one node, a NameNode or a DataNode.
type Daemon struct {
	Dir         string // contains the configuration and data of this daemon only
	NameNode    string // host:port of the NameNode's RPC server
	Replication int    // default for new files; also the number of replicas that a leaving DataNode's blocks need
	// Settings are the user's settings. They override this package's defaults (wishes), but not the
	// settings that it must control (nameNode and dataNode).
	Settings []conf.Property
}

func (d Daemon) conf() string    { return filepath.Join(d.Dir, "conf") }
func (d Daemon) data() string    { return filepath.Join(d.Dir, "data") }
func (d Daemon) scratch() string { return filepath.Join(d.Dir, "java") }

// wishes are defaults that users can override. Nodes join and leave often and deregister cleanly. A
// DataNode that is silent for 40 seconds therefore counts as dead, and the NameNode checks leaving
// DataNodes often.
//
// If a DataNode leaves before making a copy that it was asked to make, the NameNode asks another
// DataNode after a minute. With Hadoop's default of five minutes, the next drain could stall for
// that long.
//
// By default, the NameNode orders only four copies at a time from each leaving DataNode. When a
// DataNode is at that limit, the NameNode can order copies from DataNodes that have already left,
// so the limit here is higher.
const wishes = `
dfs.replication=$replication
dfs.namenode.safemode.extension=0
dfs.namenode.heartbeat.recheck-interval=15000
dfs.namenode.decommission.interval=1
dfs.namenode.redundancy.interval.seconds=1
dfs.namenode.reconstruction.pending.timeout-sec=60
dfs.namenode.replication.max-streams-hard-limit=64
dfs.heartbeat.interval=1
`

// nameNode and dataNode hold settings that users cannot override.
const (
	common = `
fs.defaultFS=hdfs://$namenode
hadoop.tmp.dir=$dir/java
dfs.namenode.datanode.registration.ip-hostname-check=false
`
	nameNode = common + `
dfs.namenode.rpc-address=$namenode
dfs.namenode.http-address=$web
dfs.namenode.name.dir=file://$dir/data
dfs.hosts.exclude=$dir/conf/exclude
`
	dataNode = common + `
dfs.datanode.hostname=$hostname
dfs.datanode.address=$transfer
dfs.datanode.ipc.address=$ipc
dfs.datanode.http.address=$web
dfs.datanode.data.dir=file://$dir/data
`
)

// NameNode writes the configuration of a NameNode, creates its exclude file if necessary, and
// returns its command line. If its directory does not yet contain a file system, format is the
// command that must run first. web is the host:port of the NameNode's web server.
func (c Config) NameNode(d Daemon, web string) (format, command []string, err error) {
	err = d.write(nameNode, map[string]string{"web": web})
	if err == nil {
		err = touch(d.ExcludeFile())
	}
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(filepath.Join(d.data(), "current", "VERSION")); err != nil {
		format = c.java(d, nameNodeClass, "-format", "-nonInteractive")
	}
	return format, c.java(d, nameNodeClass), nil
}

// ExcludeFile returns the path of the file that lists the DataNodes to decommission. Only a
// NameNode has this file.
func (d Daemon) ExcludeFile() string { return filepath.Join(d.conf(), "exclude") }

// DataNode writes the configuration of a DataNode and returns its command line. The DataNode
// registers with the NameNode as hostname. transfer, ipc, and web are the host:port addresses of
// its servers for block transfer, RPC, and HTTP.
func (c Config) DataNode(d Daemon, hostname, transfer, ipc, web string) ([]string, error) {
	err := d.write(dataNode, map[string]string{"hostname": hostname, "transfer": transfer, "ipc": ipc, "web": web})
	return c.java(d, dataNodeClass), err
}

// log4j makes a daemon log to its standard error.
const log4j = `log4j.rootLogger=INFO,stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
`

// write writes all configuration files of a daemon.
func (d Daemon) write(fixed string, values map[string]string) error {
	values["namenode"], values["dir"], values["replication"] = d.NameNode, d.Dir, strconv.Itoa(d.Replication)
	c := conf.New()
	set(c, wishes, values)
	for _, p := range d.Settings {
		c.Set(p.Name, p.Value, p.Source)
	}
	set(c, fixed, values)
	var site bytes.Buffer
	if err := c.WriteXML(&site, true); err != nil {
		return failure.New(failure.KindOf(err), "write configuration", d.Dir, err)
	}
	if err := os.MkdirAll(d.scratch(), 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", d.scratch(), err)
	}
	// Both site files contain all settings, because Hadoop's built-in HDFS defaults override
	// core-site.xml but not hdfs-site.xml. The published jars contain no web pages, but the daemons
	// need the webapps directories to start.
	for name, text := range map[string]string{"core-site.xml": site.String(), "hdfs-site.xml": site.String(),
		"log4j.properties":             log4j,
		"webapps/hdfs/WEB-INF/web.xml": "<web-app></web-app>\n", "webapps/datanode/WEB-INF/web.xml": "<web-app></web-app>\n",
		"webapps/static/WEB-INF/web.xml": "<web-app></web-app>\n"} {
		file := filepath.Join(d.conf(), name)
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			return failure.New(failure.KindOf(err), "write", file, err)
		}
	}
	return nil
}

// set adds lines of key=value to c and replaces each $name with its value.
func set(c *conf.Config, lines string, values map[string]string) {
	for line := range strings.Lines(lines) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			c.Set(k, os.Expand(v, func(name string) string { return values[name] }), "agent")
		}
	}
}

// touch creates a file if it does not exist.
func touch(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return failure.New(failure.KindOf(err), "make", file, err)
	}
	return f.Close()
}
