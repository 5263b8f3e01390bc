// Package apachehadoop runs Apache Hadoop from its published artifacts: HDFS and YARN as processes on loopback, example
// programs, the local runner. It is the oracle that tests and benchmarks compare with. It needs Java and Maven; Available
// tells whether they are there.
package apachehadoop

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/howdah/howdah/job/failure"
)

// Version is the release that is compared with.
const Version = "3.4.2"

//go:embed pom.xml
var pom []byte

// Available gives nil if this machine can run Hadoop, else what is missing, in a word for a test that skips itself.
func Available() error {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return failure.New(failure.NotFound, "find", tool, errors.New("Apache Hadoop is compared with only where Java and Maven are installed"))
		}
	}
	return nil
}

// Jars fetches Hadoop's jars through Maven, once per machine, and gives their folder.
func Jars(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", failure.New(failure.IO, "find cache directory", "", err)
	}
	dir := filepath.Join(cache, "howdah", "apache-hadoop-"+Version)
	lib := filepath.Join(dir, "lib")
	if err := os.MkdirAll(lib, 0o755); err != nil {
		return "", failure.New(failure.KindOf(err), "make directory", lib, err)
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	// The mark says which list of jars is there as a whole: an interrupted download is begun again.
	mark := filepath.Join(dir, "complete")
	if b, err := os.ReadFile(mark); err == nil && bytes.Equal(b, pom) {
		return lib, nil
	}
	file := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return "", failure.New(failure.KindOf(err), "write", file, err)
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file, "dependency:copy-dependencies", "-DoutputDirectory="+lib)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", failure.New(failure.Unreachable, "fetch Hadoop's jars", lib, fmt.Errorf("%w: %s", err, tail(out, 2000)))
	}
	if err := os.WriteFile(mark, pom, 0o644); err != nil {
		return "", failure.New(failure.KindOf(err), "write", mark, err)
	}
	return lib, nil
}

// lock lets one process at a time fetch jars.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "lock", name, err)
	}
	return func() { _ = f.Close() }, nil
}

// tail gives the end of a text.
func tail(b []byte, n int) string {
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return string(b)
}
