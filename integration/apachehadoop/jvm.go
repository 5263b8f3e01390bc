package apachehadoop

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

//go:embed Runner.java
var runner []byte

// JVM is a Java process that runs main classes one after another, so that each command does not
// have to start Java. It is not safe for concurrent use.
type JVM struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	log string
}

// Result is the result of one run of a main class.
type Result struct {
	Out, Err []byte // do not include log lines, which are in the JVM's own log
	Code     int
}

// CompilerAvailable returns nil if this machine has the Java compiler, which a JVM needs in
// addition to the tools of Available. Otherwise, it returns an error that names the missing tool.
func CompilerAvailable() error {
	if _, err := exec.LookPath("javac"); err != nil {
		return failure.New(failure.NotFound, "find", "javac", errors.New("it compiles the runner of Hadoop's commands"))
	}
	return nil
}

// JVM starts a Java process that runs many commands as a client of the cluster. name distinguishes
// the logs of several JVMs. The caller must call Close.
func (c *Cluster) JVM(ctx context.Context, name string) (*JVM, error) {
	dir := filepath.Join(c.dir, "runner")
	source := filepath.Join(dir, "Runner.java")
	if err := writeFile(source, string(runner), 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "javac", "-nowarn", "-cp", c.lib+"/*", "-d", dir,
		source).CombinedOutput(); err != nil {
		return nil, failure.New(failure.Failed, "compile", source, fmt.Errorf("%w: %s", err, tail(out, 2000)))
	}
	if err := os.MkdirAll(filepath.Join(c.dir, "logs"), 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", c.dir, err)
	}
	j := &JVM{log: c.logFile(name)}
	log, err := os.Create(j.log)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "write", j.log, err)
	}
	defer log.Close()
	// The runner's own directory precedes the jars in the class path.
	j.cmd = c.java(context.WithoutCancel(ctx), c.ConfDir()+":"+dir, 1000, "Runner")
	j.cmd.Args = append([]string{j.cmd.Args[0], "-Djava.security.manager=allow"}, j.cmd.Args[1:]...)
	j.cmd.Stderr, j.cmd.SysProcAttr = log, childAttributes()
	j.in, err = j.cmd.StdinPipe()
	if err != nil {
		return nil, failure.New(failure.IO, "start", "java", err)
	}
	out, err := j.cmd.StdoutPipe()
	if err == nil {
		err = j.cmd.Start()
	}
	if err != nil {
		return nil, failure.New(failure.IO, "start", "java", err)
	}
	j.out = bufio.NewReader(out)
	return j, nil
}

// LocalJVM starts a Java process that runs many commands with the local runner. dir contains its
// configuration and log.
func LocalJVM(ctx context.Context, dir string) (*JVM, error) {
	c, err := local(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := writeSite(filepath.Join(c.ConfDir(), "core-site.xml"), Setting{"fs.defaultFS", "file:///"},
		Setting{"hadoop.tmp.dir", filepath.Join(dir, "tmp")}); err != nil {
		return nil, err
	}
	if err := writeSite(filepath.Join(c.ConfDir(), "mapred-site.xml"),
		Setting{"mapreduce.framework.name", "local"}); err != nil {
		return nil, err
	}
	if err := writeFile(filepath.Join(c.ConfDir(), "log4j.properties"), log4j, 0o644); err != nil {
		return nil, err
	}
	return c.JVM(ctx, "runner")
}

// Shell runs one `hadoop fs` command.
func (j *JVM) Shell(args ...string) (Result, error) { return j.Run(nil, Shell, args...) }

// Run runs a main class. If the class is a Tool, Run calls its run method with a new configuration;
// otherwise it calls main. If the class calls System.exit, only the command ends. stdin is the
// command's complete standard input.
func (j *JVM) Run(stdin []byte, class string, args ...string) (Result, error) {
	request := [][]byte{stdin, []byte(class)}
	for _, a := range args {
		request = append(request, []byte(a))
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(len(request)))
	for _, s := range request {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	if _, err := j.in.Write(b); err != nil {
		return Result{}, j.failed(class, err)
	}
	var r Result
	var code int32
	if err := binary.Read(j.out, binary.BigEndian, &code); err != nil {
		return Result{}, j.failed(class, err)
	}
	r.Code = int(code)
	for _, s := range []*[]byte{&r.Out, &r.Err} {
		var n uint32
		err := binary.Read(j.out, binary.BigEndian, &n)
		if err == nil {
			*s = make([]byte, n)
			_, err = io.ReadFull(j.out, *s)
		}
		if err != nil {
			return Result{}, j.failed(class, err)
		}
	}
	return r, nil
}

func (j *JVM) failed(class string, err error) error {
	log, _ := os.ReadFile(j.log)
	return failure.New(failure.Node, "run "+class, "", fmt.Errorf("%w: %s", err, tail(log, 3000)))
}

// Close stops the process.
func (j *JVM) Close() {
	_ = j.in.Close()
	_ = j.cmd.Process.Kill()
	_ = j.cmd.Wait()
}
