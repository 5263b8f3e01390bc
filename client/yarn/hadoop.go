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

const streamingClass = "org.apache.hadoop.streaming.HadoopStreaming"

// hadoop describes the Hadoop client on this machine.
type hadoop struct {
	script string // bin/hadoop; "" means to start Java with the jars
	jar    string // jar of Hadoop Streaming, for the script
	java   string
	jars   []string // class path entries
}

// find returns the Hadoop installation or the directory of jars at $HADOOP_HOME. If HADOOP_HOME is
// not set, find looks for the hadoop command in PATH.
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
		return nil, missing("HADOOP_HOME="+home, "share/hadoop/tools/lib has no hadoop-streaming-*.jar")
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
	return nil, missing("HADOOP_HOME="+home, "the directory has neither bin/hadoop nor "+
		"hadoop-streaming-*.jar")
}

// Client returns a description of the Hadoop client on this machine that submits the jobs. The
// description is the path of the client's script, or its jars and the java command. If the client
// is missing, the error is of kind Config.
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
		err = errors.New("the hadoop command is howdah")
	}
	if err != nil {
		return nil, missing("hadoop", "HADOOP_HOME is not set, and "+err.Error())
	}
	if target, err := filepath.EvalSymlinks(script); err == nil {
		script = target
	}
	home := filepath.Dir(filepath.Dir(script))
	jar := streamingJar(home)
	if jar == "" {
		return nil, missing(script, "no hadoop-streaming-*.jar below "+home)
	}
	return &hadoop{script: script, jar: jar}, nil
}

func missing(what, why string) error {
	return failure.New(failure.Config, "find Hadoop's client", what, errors.New(why)).
		Fix("howdah submits jobs to YARN with Hadoop's client: set HADOOP_HOME to a Hadoop installation " +
			"(or a directory with its jars), and HADOOP_CONF_DIR to the cluster's configuration")
}

// isSelf reports whether the command at path is this program, installed under Hadoop's name.
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

// glob returns the file in dir that matches the pattern. If several match, it returns the last one
// in lexical order. If none matches, it returns "".
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

// logSettings makes Hadoop's client log to standard error in the format that told parses.
const logSettings = `log4j.rootLogger=INFO,stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%p %c{2}: %m%n
`

// command returns the command that submits a Streaming job with the arguments args. dir is a local
// directory for the command's files.
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
	// Hadoop's libraries access internals of the JDK. Java 17 permits that only with --add-opens.
	all := append([]string{"-Xmx512m", "-XX:+IgnoreUnrecognizedVMOptions", "--add-opens=java.base/java.lang=ALL-UNNAMED",
		"-Djava.net.preferIPv4Stack=true",
		"-cp", path, streamingClass}, args...)
	cmd := exec.Command(h.java, all...)
	cmd.Env = env
	return cmd, nil
}
