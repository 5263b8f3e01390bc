// Package hdfs configures a NameNode and DataNodes from a folder of Hadoop's jars, as Maven copies them, with nothing installed but
// Java. It writes what they read and says how they are started; who starts them, and where, is the caller's affair.
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

// The main classes.
const (
	nameNodeClass = "org.apache.hadoop.hdfs.server.namenode.NameNode"
	dataNodeClass = "org.apache.hadoop.hdfs.server.datanode.DataNode"
)

// Config says how daemons are run. FromConf reads it.
type Config struct {
	Jars    string   // folder with the jars of hadoop-common, hadoop-hdfs, hadoop-hdfs-client and all that they need
	Java    string   // program
	HeapMB  int64    // of each daemon
	Options []string // more options of Java
}

const keyJars = "howdah.mrcluster.hdfs.jars"

// FromConf reads the settings. What is wrong with the folder or with Java is told by Check.
func FromConf(c *conf.Config) (Config, error) {
	heap, err := c.Int("howdah.mrcluster.hdfs.heap.mb", 512, 32, 1<<20)
	if err != nil {
		return Config{}, err
	}
	h := Config{Jars: c.Get(keyJars), Java: c.Get("howdah.mrcluster.hdfs.java"), HeapMB: heap, Options: strings.Fields(c.Get("howdah.mrcluster.hdfs.java.options"))}
	if h.Java == "" {
		h.Java = "java"
		if home := os.Getenv("JAVA_HOME"); home != "" {
			h.Java = filepath.Join(home, "bin", "java")
		}
	}
	return h, nil
}

// Check says why no daemon can be started on this node.
func (c Config) Check() error {
	const op = "start an HDFS"
	if c.Jars == "" {
		return failure.New(failure.Config, op, "", errors.New("nobody says where Hadoop's jars are")).Fix("set " + keyJars + " of the agents to a folder with them")
	}
	if jars, _ := filepath.Glob(filepath.Join(c.Jars, "hadoop-hdfs-*.jar")); len(jars) == 0 {
		return failure.New(failure.Config, op, c.Jars, errors.New("there is no hadoop-hdfs-VERSION.jar")).Fix("set " + keyJars + " to the folder with Hadoop's jars")
	}
	if _, err := exec.LookPath(c.Java); err != nil {
		return failure.New(failure.Config, op, c.Java, err).Fix("install Java, or set JAVA_HOME or howdah.mrcluster.hdfs.java")
	}
	return nil
}

// java gives a command line. What Java unpacks stays behind when it is killed, so it does not go to the machine's /tmp.
func (c Config) java(d Daemon, class string, args ...string) []string {
	cmd := []string{c.Java, "-XX:-UsePerfData", "-Djava.io.tmpdir=" + d.scratch(), "-Xmx" + strconv.FormatInt(c.HeapMB, 10) + "m",
		"--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED",
		"-Djava.net.preferIPv4Stack=true", "-Dhadoop.log.dir=" + d.scratch()}
	cmd = append(cmd, c.Options...)
	cmd = append(cmd, "-cp", d.conf()+":"+c.Jars+"/*", class)
	return append(cmd, args...)
}
