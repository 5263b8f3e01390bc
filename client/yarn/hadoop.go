package yarn

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// streamingClass is the main class of Hadoop Streaming.
const streamingClass = "org.apache.hadoop.streaming.HadoopStreaming"

// hadoop is Hadoop's client on this machine.
type hadoop struct {
	script string // bin/hadoop; "" = Java is started with the jars themselves
	jar    string // of Streaming, for the script
	java   string
	jars   []string // class path entries
}

// find looks for Hadoop: the installation or the folder of jars that HADOOP_HOME names, else the command hadoop.
func find() (*hadoop, error) {
	home := os.Getenv("HADOOP_HOME")
	if home == "" {
		return findCommand()
	}
	script := filepath.Join(home, "bin", "hadoop")
	if _, err := exec.LookPath(script); err == nil {
		if jar := streamingJar(home); jar != "" {
			return &hadoop{script: script, jar: jar}, nil
		}
		return nil, missing("HADOOP_HOME="+home, "it has no hadoop-streaming-*.jar below share/hadoop/tools/lib")
	}
	for _, dir := range []string{home, filepath.Join(home, "lib")} {
		if glob(dir, "hadoop-streaming-*.jar") == "" || glob(dir, "hadoop-common-*.jar") == "" {
			continue
		}
		java, err := findJava()
		if err != nil {
			return nil, err
		}
		return &hadoop{java: java, jars: []string{filepath.Join(dir, "*")}}, nil
	}
	return nil, missing("HADOOP_HOME="+home, "it has neither bin/hadoop nor hadoop-streaming-*.jar")
}

// Client names Hadoop's client on this machine, which submits the jobs; kind Config if there is none.
func Client() (string, error) {
	h, err := find()
	if err != nil {
		return "", err
	}
	if h.script == "" {
		return h.jars[0] + " with " + h.java, nil
	}
	return h.script, nil
}

func findCommand() (*hadoop, error) {
	script, err := exec.LookPath("hadoop")
	if err == nil && isSelf(script) {
		err = errors.New("the command hadoop is howdah itself")
	}
	if err != nil {
		return nil, missing("hadoop", "HADOOP_HOME is not set, and "+err.Error())
	}
	if real, err := filepath.EvalSymlinks(script); err == nil {
		script = real
	}
	home := filepath.Dir(filepath.Dir(script))
	jar := streamingJar(home)
	if jar == "" {
		return nil, missing(script, "there is no hadoop-streaming-*.jar below "+home)
	}
	return &hadoop{script: script, jar: jar}, nil
}

func missing(what, why string) error {
	return failure.New(failure.Config, "find Hadoop's client", what, errors.New(why)).
		Fix("jobs on YARN are submitted by Hadoop's own client: set HADOOP_HOME to a Hadoop installation (or a folder with its jars), and HADOOP_CONF_DIR to the cluster's configuration")
}

// isSelf tells whether a command is this very program under Hadoop's name.
func isSelf(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

func streamingJar(home string) string {
	for _, dir := range []string{"share/hadoop/tools/lib", "share/hadoop/mapreduce", "../hadoop-mapreduce", ".", "lib"} {
		if jar := glob(filepath.Join(home, dir), "hadoop-streaming-*.jar"); jar != "" {
			return jar
		}
	}
	return ""
}

// glob gives the last file in dir that matches, "" if none does.
func glob(dir, pattern string) string {
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

func findJava() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java := filepath.Join(home, "bin", "java")
		if _, err := exec.LookPath(java); err == nil {
			return java, nil
		}
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return "", missing("java", "it is neither in JAVA_HOME nor in PATH")
	}
	return java, nil
}

// logSettings make Hadoop's client tell what it does on standard error, where it is read.
const logSettings = `log4j.rootLogger=INFO,stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%p %c{2}: %m%n
`

// command gives the process that submits a Streaming job. dir is a local directory for what it needs.
func (h *hadoop) command(c *conf.Config, dir string, args []string) (*exec.Cmd, error) {
	confDir := c.Dir()
	env := os.Environ()
	if h.script != "" {
		if confDir != "" {
			env = append(env, "HADOOP_CONF_DIR="+confDir)
		}
		cmd := exec.Command(h.script, append([]string{"jar", h.jar}, args...)...)
		cmd.Env = append(env, "HADOOP_ROOT_LOGGER=INFO,console")
		return cmd, nil
	}
	name := filepath.Join(dir, "log4j.properties")
	if err := os.WriteFile(name, []byte(logSettings), 0o600); err != nil {
		return nil, failure.New(failure.KindOf(err), "write", name, err)
	}
	path := dir
	for _, entry := range append([]string{confDir}, h.jars...) {
		if entry != "" {
			path += string(os.PathListSeparator) + entry
		}
	}
	// The one option is for Java 17, which Hadoop's libraries want to look into.
	all := append([]string{"-Xmx512m", "-XX:+IgnoreUnrecognizedVMOptions", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-Djava.net.preferIPv4Stack=true",
		"-cp", path, streamingClass}, args...)
	cmd := exec.Command(h.java, all...)
	cmd.Env = env
	return cmd, nil
}
