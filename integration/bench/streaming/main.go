// Command streaming runs `cat` over a large text with howdah streaming and with Apache Hadoop
// Streaming's local runner. The two take turns on this machine with the same settings. The command
// checks that the outputs are byte-identical and prints the median times.
//
//	make bench-streaming
//	go run ./integration/bench/streaming -bytes 100000000 -runs 5
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/program"
)

func main() { program.Main(run) }

// settings apply to both runtimes: Hadoop's block size as split size, and two tasks at a time.
var settings = []string{"-D", "mapreduce.input.fileinputformat.split.minsize=134217728",
	"-D", "mapreduce.local.map.tasks.maximum=2", "-D", "mapreduce.local.reduce.tasks.maximum=2"}

// jobs maps job names to the options that follow the input and output.
var jobs = map[string][]string{
	"map-only":       {"-mapper", "cat", "-reducer", "NONE"},
	"map and reduce": {"-mapper", "cat", "-reducer", "cat", "-numReduceTasks", "2"},
}

func run(ctx context.Context) error {
	size := flag.Int64("bytes", 1_000_000_000, "size of the input")
	runs := flag.Int("runs", 3, "number of runs of each job on each side; the median counts")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "howdah-bench-streaming"),
		"directory for files; keeps the input for the next run")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	flag.Parse()
	if err := apachehadoop.Available(); err != nil {
		return err
	}
	binary, err := filepath.Abs(*howdah)
	if err != nil {
		return err
	}
	b := &bench{ctx: ctx, dir: *dir, howdah: binary, text: filepath.Join(*dir, fmt.Sprintf("zipf-%d.txt", *size))}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	if err := corpus.File(b.text, *size, corpus.Zipf); err != nil {
		return err
	}
	fmt.Printf("%s/%s, %d cores, %d bytes, median of %d\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *size, *runs)
	for _, name := range []string{"map-only", "map and reduce"} {
		if err := b.compare(name, jobs[name], *runs); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

type bench struct {
	ctx         context.Context
	dir, howdah string
	text        string
}

// cost is the time that a run took.
type cost struct{ wall, cpu time.Duration }

// compare runs a job alternately on both runtimes, and prints the median times. It returns an error
// if the outputs differ.
func (b *bench) compare(name string, options []string, runs int) error {
	var ours, theirs []cost
	for range runs {
		var sums []string
		for _, side := range []struct {
			run   func(args []string) error
			costs *[]cost
		}{{b.ours, &ours}, {b.theirs, &theirs}} {
			out := filepath.Join(b.dir, "out")
			if err := os.RemoveAll(out); err != nil {
				return err
			}
			c, err := measured(func() error {
				return side.run(slices.Concat(settings, []string{"-input", b.text, "-output", out}, options))
			})
			if err != nil {
				return err
			}
			*side.costs = append(*side.costs, c)
			sum, err := digest(out)
			if err != nil {
				return err
			}
			sums = append(sums, sum)
		}
		if sums[0] != sums[1] {
			return errors.New("the outputs differ")
		}
	}
	o, t := median(ours), median(theirs)
	fmt.Printf("%-14s howdah %6.2f s, %6.2f s of CPU   Hadoop %6.2f s, %6.2f s of CPU   ratio %.1f, of CPU %.1f\n", name,
		o.wall.Seconds(), o.cpu.Seconds(), t.wall.Seconds(), t.cpu.Seconds(), t.wall.Seconds()/o.wall.Seconds(),
		t.cpu.Seconds()/o.cpu.Seconds())
	return os.RemoveAll(filepath.Join(b.dir, "out"))
}

func (b *bench) ours(args []string) error {
	out, err := exec.CommandContext(b.ctx, b.howdah, append([]string{"streaming"}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out[max(len(out)-2000, 0):])
	}
	return nil
}

func (b *bench) theirs(args []string) error {
	_, err := apachehadoop.RunLocalClass(b.ctx, filepath.Join(b.dir, "hadoop"),
		"org.apache.hadoop.streaming.HadoopStreaming", args...)
	return err
}

// measured runs f. It returns the elapsed time, and the CPU time of the child processes that exited
// during the call.
func measured(f func() error) (cost, error) {
	start, before := time.Now(), childCPU()
	err := f()
	return cost{time.Since(start), childCPU() - before}, err
}

func childCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(all []cost) cost {
	wall, cpu := make([]time.Duration, len(all)), make([]time.Duration, len(all))
	for i, c := range all {
		wall[i], cpu[i] = c.wall, c.cpu
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	return cost{wall[len(wall)/2], cpu[len(cpu)/2]}
}

// digest returns a digest of the part files and their names.
func digest(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, fmt.Errorf("no part files in %s", dir))
	}
	h := sha256.New()
	for _, name := range files {
		fmt.Fprintln(h, strings.TrimPrefix(name, dir))
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
