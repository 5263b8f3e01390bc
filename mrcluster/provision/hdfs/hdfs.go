// Package hdfs configures a NameNode and DataNodes that run from a directory of Hadoop's jars, as
// copied by Maven. Only Java has to be installed. The package writes the configuration and returns
// the command lines, and the caller starts the daemons. Start with Config and Daemon.
package hdfs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Main classes of the daemons.
const (
	nameNodeClass = "org.apache.hadoop.hdfs.server.namenode.NameNode"
	dataNodeClass = "org.apache.hadoop.hdfs.server.datanode.DataNode"
)

// Config configures how to run the daemons. FromConf reads it from the settings.
type Config struct {
	Jars    string   // directory with the jars of hadoop-common, hadoop-hdfs, hadoop-hdfs-client, and their dependencies
	Java    string   // path of the java program
	HeapMB  int64    // heap size of each daemon
	Options []string // additional options for Java
}

// FromConf reads a Config from the settings. Use Check to check the directory and Java.
func FromConf(c *conf.Config) (Config, error) {
	heap, err := conf.MRClusterHDFSHeapMB.Get(c)
	if err != nil {
		return Config{}, err
	}
	h := Config{Jars: conf.MRClusterHDFSJars.Get(c), Java: conf.MRClusterHDFSJava.Get(c), HeapMB: heap,
		Options: strings.Fields(conf.MRClusterHDFSJavaOptions.Get(c))}
	if h.Java == "" {
		h.Java = "java"
		if home := os.Getenv("JAVA_HOME"); home != "" {
			h.Java = filepath.Join(home, "bin", "java")
		}
	}
	return h, nil
}

// Check returns an error if the jars or Java are missing on this node.
func (c Config) Check() error {
	const op = "start an HDFS"
	if c.Jars == "" {
		return failure.New(failure.Config, op, "", errors.New("the folder with Hadoop's jars is not set")).
			Fix("set " + conf.MRClusterHDFSJars.Name + " of the agents to a folder that contains them")
	}
	if jars, _ := filepath.Glob(filepath.Join(c.Jars, "hadoop-hdfs-*.jar")); len(jars) == 0 {
		return failure.New(failure.Config, op, c.Jars,
			errors.New("hadoop-hdfs-VERSION.jar does not exist")).Fix("set " + conf.MRClusterHDFSJars.Name +
			" to the folder with Hadoop's jars")
	}
	if _, err := exec.LookPath(c.Java); err != nil {
		return failure.New(failure.Config, op, c.Java, err).
			Fix("install Java, or set JAVA_HOME or howdah.mrcluster.hdfs.java")
	}
	return nil
}

// java returns the command line of a Java program. Java writes its temporary files to the daemon's
// own directory instead of /tmp, because a killed process does not remove them.
func (c Config) java(d Daemon, class string, args ...string) []string {
	cmd := []string{c.Java, "-XX:-UsePerfData", "-Djava.io.tmpdir=" + d.scratch(),
		"-Xmx" + strconv.FormatInt(c.HeapMB, 10) + "m",
		"--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED",
		"-Djava.net.preferIPv4Stack=true", "-Dhadoop.log.dir=" + d.scratch()}
	cmd = append(cmd, c.Options...)
	cmd = append(cmd, "-cp", d.conf()+":"+c.Jars+"/*", class)
	return append(cmd, args...)
}
