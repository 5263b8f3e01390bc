// Package apachehadoop runs Apache Hadoop from its published artifacts: HDFS and YARN as processes on loopback, example
// programs, the local runner. It is the oracle that tests and benchmarks compare with. It needs Java and Maven; Available
// tells whether they are there.
package apachehadoop

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

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
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return lib, nil
	}
	if err := os.MkdirAll(lib, 0o755); err != nil {
		return "", failure.New(failure.KindOf(err), "make directory", lib, err)
	}
	file := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return "", failure.New(failure.KindOf(err), "write", file, err)
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file, "dependency:copy-dependencies", "-DoutputDirectory="+lib)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", failure.New(failure.Unreachable, "fetch Hadoop's jars", lib, fmt.Errorf("%w: %s", err, tail(out, 2000)))
	}
	// The mark says that all jars are there: an interrupted download is begun again.
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o644); err != nil {
		return "", failure.New(failure.KindOf(err), "write", dir, err)
	}
	return lib, nil
}

// tail gives the end of a text.
func tail(b []byte, n int) string {
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return string(b)
}
