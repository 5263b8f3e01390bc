// Package apachehadoop runs Apache Hadoop from its published artifacts, as a reference for tests
// and benchmarks. It requires Java and Maven; Available checks for them.
//
// Start starts a Cluster of HDFS and YARN on this machine. RunLocal runs an example without a
// cluster.
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

// Version is the Hadoop release of the artifacts.
const Version = "3.4.2"

//go:embed pom.xml
var pom []byte

// Available returns nil if Java and Maven are installed. Otherwise, it returns an error that names
// the missing tool and is short enough for a skipped test.
func Available() error {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return failure.New(failure.NotFound, "find", tool,
				errors.New("comparing with Apache Hadoop needs Java and Maven"))
		}
	}
	return nil
}

// Jars returns the folder with Hadoop's jars in the user's cache directory. It fetches the jars
// through Maven unless an earlier call has fetched all of them.
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
	// The marker contains the pom.xml whose jars are complete. After an interrupted download, the
	// next call runs Maven again.
	mark := filepath.Join(dir, "complete")
	if b, err := os.ReadFile(mark); err == nil && bytes.Equal(b, pom) {
		return lib, nil
	}
	file := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return "", failure.New(failure.KindOf(err), "write", file, err)
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file, "dependency:copy-dependencies",
		"-DoutputDirectory="+lib)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", failure.New(failure.Unreachable, "fetch Hadoop's jars", lib, fmt.Errorf("%w: %s", err, tail(out, 2000)))
	}
	if err := os.WriteFile(mark, pom, 0o644); err != nil {
		return "", failure.New(failure.KindOf(err), "write", mark, err)
	}
	return lib, nil
}

// lock waits for a lock on the named file, so that only one process at a time fetches jars.
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

// tail returns the last n bytes of b.
func tail(b []byte, n int) string {
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return string(b)
}
