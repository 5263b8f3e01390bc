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

// Daemon is what the daemons of one HDFS have in common, on one node.
type Daemon struct {
	Dir         string // for configuration and data of this daemon alone
	NameNode    string // host:port of the NameNode's RPC
	Replication int    // of files whose writers do not say; also how many replicas a leaving DataNode's blocks need elsewhere
	// Settings are somebody's wishes. They come before what is said here to make DataNodes join and leave quickly, but not before what
	// names addresses and directories.
	Settings []conf.Property
}

func (d Daemon) conf() string    { return filepath.Join(d.Dir, "conf") }
func (d Daemon) data() string    { return filepath.Join(d.Dir, "data") }
func (d Daemon) scratch() string { return filepath.Join(d.Dir, "java") }

// wishes are settings that others may overrule: nodes come and go all the time, and in good order, so a DataNode that is silent for
// a minute is dead, and a look at those that leave costs little. A copy that was asked of a DataNode that has left meanwhile is asked of
// another one after a minute; by default a drain that follows another one may stand still for five. The NameNode asks one that has left
// when it has asked the one that leaves for as many copies as it may at once: for four by default, now for so many that they take a while.
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

// nameNode and dataNode are settings that hold in any case.
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

// NameNode writes the configuration of a NameNode and gives its command line. Where its directory holds no file system yet, format is
// another one that is to be run before. web is host:port of its web server.
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

// ExcludeFile names the file that lists which DataNodes are to leave, of a Daemon that is a NameNode.
func (d Daemon) ExcludeFile() string { return filepath.Join(d.conf(), "exclude") }

// DataNode writes the configuration of a DataNode and gives its command line. hostname is what the NameNode calls it by, the addresses
// are host:port each: transfer of blocks, RPC, and web server.
func (c Config) DataNode(d Daemon, hostname, transfer, ipc, web string) ([]string, error) {
	err := d.write(dataNode, map[string]string{"hostname": hostname, "transfer": transfer, "ipc": ipc, "web": web})
	return c.java(d, dataNodeClass), err
}

// log4j sends what daemons log to where their starter wants it.
const log4j = `log4j.rootLogger=INFO,stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
`

// write writes all files that a daemon reads.
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
	// Both files say all: what Hadoop has built in for HDFS comes after the one and before the other. The published jars hold no web
	// pages, and the daemons do not start without the folders.
	for name, text := range map[string]string{"core-site.xml": site.String(), "hdfs-site.xml": site.String(), "log4j.properties": log4j,
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

// set takes lines of key=value, with $names for values.
func set(c *conf.Config, lines string, values map[string]string) {
	for line := range strings.Lines(lines) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			c.Set(k, os.Expand(v, func(name string) string { return values[name] }), "agent")
		}
	}
}

// touch makes a file that is not there.
func touch(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return failure.New(failure.KindOf(err), "make", file, err)
	}
	return f.Close()
}
