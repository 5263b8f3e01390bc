// Command pgo makes a CPU profile for Go's option -pgo. The profile consists of the tasks of three
// jobs on a minicluster: wordcount, TeraSort, and grep.
//
//	make pgo                                  # also builds bin/howdah with the profile
//	go run -tags integration ./integration/bench/pgo -bytes 100000000 -out /tmp/howdah.pgo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/program"
	"github.com/howdah/howdah/internal/daemonrun"
)

func main() { program.Main(run) }

func run(ctx context.Context) (err error) {
	size := flag.Int64("bytes", 500_000_000, "size of each input")
	out := flag.String("out", "bin/howdah.pgo", "file for the profile")
	howdah := flag.String("howdah", "bin/howdah", "the binary to profile")
	flag.Parse()
	dir, err := os.MkdirTemp("", "howdah-pgo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	text, rows := filepath.Join(dir, "text"), filepath.Join(dir, "rows")
	if err := errors.Join(corpus.File(text, *size, corpus.Zipf), corpus.File(rows, *size, corpus.Rows)); err != nil {
		return err
	}
	binary, err := filepath.Abs(*howdah)
	if err != nil {
		return err
	}
	cluster := filepath.Join(dir, "cluster")
	c, err := daemonrun.StartMinicluster(ctx, daemonrun.Command{Program: binary,
		Args: []string{"--tasktrackers", "2", "--dir", cluster}, Log: io.Discard})
	if err != nil {
		return err
	}
	defer c.Stop(30 * time.Second)
	for _, job := range [][]string{
		{"wordcount", "-D", "mapreduce.job.reduces=2", text, filepath.Join(dir, "words")},
		{"terasort", "-D", "mapreduce.job.reduces=2", rows, filepath.Join(dir, "sorted")},
		{"grep", text, filepath.Join(dir, "matches"), "rap[a-z]*rw"},
	} {
		args := slices.Concat([]string{"run", "-q", job[0], "-D", "mapreduce.task.profile=true", "-D",
			"mapreduce.task.profile.maps=0-", "-D", "mapreduce.task.profile.reduces=0-"}, job[1:])
		cmd := exec.CommandContext(ctx, binary, args...)
		cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf)
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", job[0], err, said)
		}
	}
	return merge(ctx, cluster, *out)
}

// merge writes the sum of the profiles in dir.
func merge(ctx context.Context, dir, out string) error {
	args := []string{"tool", "pprof", "-proto", "-output=" + out}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "profile.out" {
			args = append(args, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("merge profiles: %w: %s", err, said)
	}
	fmt.Printf("%s: merged from %d profiles\n", out, len(args)-4)
	return nil
}
