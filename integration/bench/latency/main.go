// Command latency measures the overhead of a small job, which is a wordcount of 1 KiB with one map
// and one reduce. It times the job from process start to exit, in-process and on a running cluster
// of two TaskTrackers. It also measures the CPU time that a task's child process needs to start and
// exit.
//
//	make build && go run ./integration/bench/latency -runs 21
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/tasktracker/daemon"
)

func main() {
	runs := flag.Int("runs", 21, "number of repetitions; the median counts")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	flag.Parse()
	binary, err := filepath.Abs(*howdah)
	if err == nil {
		err = all(binary, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

// all runs every measurement.
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
	cluster, err := daemonrun.StartMinicluster(context.Background(), daemonrun.Command{Program: binary,
		Args: []string{"--tasktrackers", "2", "--dir", filepath.Join(dir, "cluster")}, Log: os.Stderr})
	if err != nil {
		return err
	}
	err = jobs("cluster", binary, dir, runs, "HOWDAH_CONF_DIR="+cluster.Conf)
	cluster.Stop(time.Minute)
	if err != nil {
		return err
	}
	if err := jobs("in-process", binary, dir, runs); err != nil {
		return err
	}
	return children(binary, runs)
}

// jobs measures how long complete commands take. It adds env to their environment.
func jobs(where, binary, dir string, runs int, env ...string) error {
	out := filepath.Join(dir, "out")
	var took []time.Duration
	for range runs {
		if err := os.RemoveAll(out); err != nil {
			return err
		}
		begun := time.Now()
		run := exec.Command(binary, "run", "-q", "wordcount", filepath.Join(dir, "in"), out)
		run.Env = append(daemonrun.Environ(), env...)
		if text, err := run.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, bytes.TrimSpace(text))
		}
		took = append(took, time.Since(begun))
	}
	report("small job, "+where+", wall", took)
	return nil
}

// children measures the CPU time of child processes that exit as soon as they are ready.
func children(binary string, runs int) error {
	var took []time.Duration
	for range runs {
		d, err := daemon.TimeChild(binary)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	report("task child, start to end, CPU", took)
	return nil
}

func report(what string, took []time.Duration) {
	slices.Sort(took)
	n := len(took)
	fmt.Printf("%-32s median %6.1f ms   least %6.1f   90%% %6.1f   most %6.1f   (%d runs)\n", what,
		ms(took[n/2]), ms(took[0]), ms(took[n*9/10]), ms(took[n-1]), n)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
