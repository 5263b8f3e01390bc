//go:build integration

package hadoopdiff

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

//go:embed java
var sources embed.FS

// Compile writes this package's Java sources and their compiled classes to the folder dir. lib is
// the folder with Hadoop's jars.
func Compile(ctx context.Context, lib, dir string) error {
	entries, err := sources.ReadDir("java")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	args := []string{"-nowarn", "-proc:none", "-cp", filepath.Join(lib, "*"), "-d", dir}
	for _, e := range entries {
		b, err := sources.ReadFile("java/" + e.Name())
		if err != nil {
			return err
		}
		file := filepath.Join(dir, e.Name())
		if err := os.WriteFile(file, b, 0o644); err != nil {
			return err
		}
		if strings.HasSuffix(file, ".java") {
			args = append(args, file)
		}
	}
	if out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); err != nil {
		return failure.New(failure.Failed, "compile", dir, fmt.Errorf("%w: %s", err, out))
	}
	return nil
}

// JVM runs Java programs one after another. It is not safe for concurrent use.
type JVM struct {
	lib, classes, conf, dir string
	settings                []string // name of a file in the class path

	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string // closed when the process has exited
	log     *bytes.Buffer
}

// NewJVM returns a JVM that works in dir. The first Run creates dir and starts the process, which
// uses a fast implementation of the local file system. conf is a class path that consists of
// configuration directories.
func NewJVM(lib, classes, conf, dir string) *JVM {
	return &JVM{lib: lib, classes: classes, conf: conf, dir: dir, settings: []string{"jobserver.xml"}}
}

// programTimeout is the maximum run time of a program. It is much longer than any program takes on
// a busy machine.
const programTimeout = 20 * time.Minute

// Result is the result of a program on either side.
type Result struct {
	Code     int
	Out, Err string
	Time     time.Duration
}

// Run runs a class's main method.
func (j *JVM) Run(class string, args ...string) (Result, error) {
	if j.cmd == nil {
		if err := j.start(); err != nil {
			return Result{}, err
		}
	}
	line := base64.StdEncoding.EncodeToString([]byte(class))
	for _, a := range args {
		line += " " + base64.StdEncoding.EncodeToString([]byte(a))
	}
	start := time.Now()
	if _, err := io.WriteString(j.in, line+"\n"); err != nil {
		return Result{}, j.died(err)
	}
	select {
	case answer, ok := <-j.answers:
		if !ok {
			return Result{}, j.died(errors.New("the process exited"))
		}
		r, err := parseAnswer(answer)
		r.Time = time.Since(start)
		return r, err
	case <-time.After(programTimeout):
		return Result{}, j.died(fmt.Errorf("no answer from %s %q after %v", class, args, programTimeout))
	}
}

func parseAnswer(line string) (r Result, err error) {
	f := strings.Split(line, " ")
	if len(f) != 3 {
		return r, fmt.Errorf("%.200q is not an answer", line)
	}
	code, err1 := strconv.Atoi(f[0])
	out, err2 := base64.StdEncoding.DecodeString(f[1])
	errOut, err3 := base64.StdEncoding.DecodeString(f[2])
	return Result{Code: code, Out: string(out), Err: string(errOut)}, errors.Join(err1, err2, err3)
}

func (j *JVM) start() error {
	scratch := filepath.Join(j.dir, "java") // a killed Java process does not remove the files that it has unpacked
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", scratch, err)
	}
	j.cmd = exec.Command("java", append([]string{"-Xmx900m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Djava.security.manager=allow", "-Djava.net.preferIPv4Stack=true",
		"--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED",
		"-XX:-UsePerfData", "-Djava.io.tmpdir=" + scratch, "-Dhadoop.tmp.dir=" + filepath.Join(j.dir, "tmp"),
		"-Duser.name=tester",
		"-cp", j.conf + ":" + j.classes + ":" + filepath.Join(j.lib, "*"), "JobServer"}, j.settings...)...)
	j.cmd.Dir = j.dir
	j.log = &bytes.Buffer{}
	j.cmd.Stderr = j.log
	in, err := j.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := j.cmd.Start(); err != nil {
		return failure.New(failure.KindOf(err), "start", "java", err)
	}
	answers := make(chan string)
	go func() {
		defer close(answers)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			answers <- strings.TrimSuffix(line, "\n")
		}
	}()
	j.in, j.answers = in, answers
	return nil
}

// died stops the process, which may still be running after a timeout, and returns an error with the
// reason and the log. The next program starts a new process.
func (j *JVM) died(why error) error {
	j.Stop()
	return failure.New(failure.Node, "run", "the JVM of Hadoop's side", fmt.Errorf("%w: %s", why, j.log))
}

// Stop stops the process.
func (j *JVM) Stop() {
	if j.cmd == nil {
		return
	}
	_ = j.in.Close()
	_ = j.cmd.Process.Kill()
	for range j.answers { // waits until the process has closed its output
	}
	_ = j.cmd.Wait()
	j.cmd = nil
}
