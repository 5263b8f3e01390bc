// Latency measures what a small job costs: a wordcount of 1 KiB with one map and one reduce on a running cluster of two
// TaskTrackers and in-process, from process start to exit, and the CPU that a task's child process takes to start and end.
//
//	make build && go run ./bench/latency -runs 21
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/wire/umbilical"
)

func main() {
	runs := flag.Int("runs", 21, "how often each thing is done; the median counts")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	inside := flag.String("inside", "", "set by this program for the part that runs inside a cluster: the directory to work in")
	flag.Parse()
	binary, err := filepath.Abs(*howdah)
	if err == nil && *inside != "" {
		err = jobs("cluster", binary, *inside, *runs)
	} else if err == nil {
		err = all(binary, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

// all does every measurement; the one on a cluster is this program again as the minicluster's command.
func all(binary string, runs int) error {
	dir, err := os.MkdirTemp("", "latency")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text := strings.Repeat("the quick brown fox jumps over the lazy dog and runs away again\n", 16)
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte(text), 0o644); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cluster := exec.Command(binary, "minicluster", "--tasktrackers", "2", "--dir", filepath.Join(dir, "cluster"), "--",
		self, "-inside", dir, "-runs", fmt.Sprint(runs), "-howdah", binary)
	cluster.Stdout, cluster.Stderr = os.Stdout, os.Stderr
	if err := cluster.Run(); err != nil {
		return err
	}
	os.Unsetenv("HOWDAH_CONF_DIR")
	os.Unsetenv("HADOOP_CONF_DIR")
	if err := jobs("in-process", binary, dir, runs); err != nil {
		return err
	}
	return children(binary, runs)
}

// jobs times whole commands.
func jobs(where, binary, dir string, runs int) error {
	out := filepath.Join(dir, "out")
	var took []time.Duration
	for range runs {
		if err := os.RemoveAll(out); err != nil {
			return err
		}
		begun := time.Now()
		if text, err := exec.Command(binary, "run", "-q", "wordcount", filepath.Join(dir, "in"), out).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, bytes.TrimSpace(text))
		}
		took = append(took, time.Since(begun))
	}
	report("small job, "+where+", wall", took)
	return nil
}

// children takes the CPU of child processes that are told to leave as soon as they are ready.
func children(binary string, runs int) error {
	var took []time.Duration
	for range runs {
		d, err := child(binary)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	report("task child, start to end, CPU", took)
	return nil
}

func child(binary string) (time.Duration, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "umbilical"), os.NewFile(uintptr(pair[1]), "umbilical")
	syscall.CloseOnExec(pair[0])
	defer ours.Close()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "HOWDAH_CHILD=1")
	cmd.ExtraFiles = []*os.File{theirs}
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return 0, err
	}
	conn, err := net.FileConn(ours)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	ready := &umbilical.FromChild{}
	if err := frame.NewReader(conn).Read(ready); err != nil {
		return 0, err
	}
	if err := frame.NewWriter(conn).Write(&umbilical.ToChild{Exit: true}); err != nil {
		return 0, err
	}
	if err := cmd.Wait(); err != nil {
		return 0, err
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

func report(what string, took []time.Duration) {
	slices.Sort(took)
	n := len(took)
	fmt.Printf("%-32s median %6.1f ms   least %6.1f   90%% %6.1f   most %6.1f   (%d runs)\n", what,
		ms(took[n/2]), ms(took[0]), ms(took[n*9/10]), ms(took[n-1]), n)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
