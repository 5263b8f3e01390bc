// Command peers runs wordcount and TeraSort on howdah (from local files and from HDFS), on Apache
// Hadoop's YARN, and in Hadoop's local runner. All runtimes get the same files and the same -D
// options and run one after another on this machine. The command checks that all outputs are
// byte-identical and prints seconds and ratios.
//
//	make bench-peers
//	go run ./integration/bench/peers -bytes 100000000 -runs 3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/program"
)

func main() { program.Main(run) }

// settings apply to all runtimes: Hadoop's block size as split size, and two reduces.
var settings = []string{"-D", "mapreduce.job.reduces=2",
	"-D", "mapreduce.input.fileinputformat.split.minsize=134217728"}

func run(ctx context.Context) error {
	size := flag.Int64("bytes", 1_000_000_000, "size of each input")
	runs := flag.Int("runs", 1, "number of runs of each job; the median counts")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "howdah-bench-peers"),
		"directory for files; keeps the inputs for the next run")
	only := flag.String("runtimes", "howdah,hdfs,local,yarn", "runtimes to measure; hdfs is howdah from and to HDFS")
	which := flag.String("jobs", "wordcount,terasort", "programs to run")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	flag.Parse()
	if *size < 100 || *runs < 1 || flag.NArg() > 0 {
		return errors.New("usage: peers [-bytes N] [-runs N] [-dir DIR] [-howdah BINARY] [-runtimes LIST] [-jobs LIST]")
	}
	binary, err := filepath.Abs(*howdah)
	if err != nil {
		return err
	}
	b := &bench{ctx: ctx, dir: *dir, howdah: binary, size: *size, runs: *runs}
	if err := b.inputs(); err != nil {
		return err
	}
	fmt.Printf("%s/%s, %d cores, %d bytes of input, median of %d, settings %v\n", runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), *size, *runs, settings)
	jobs = strings.Split(*which, ",")
	known := map[string]peer{"howdah": &howdahPeer{b: b}, "hdfs": &hdfsPeer{b: b}, "local": &localPeer{b: b},
		"yarn": &yarnPeer{b: b}}
	for _, name := range strings.Split(*only, ",") {
		p := known[name]
		if p == nil {
			return fmt.Errorf("unknown runtime %q", name)
		}
		if err := apachehadoop.Available(); err != nil && name != "howdah" {
			fmt.Println(p.name(), "is left out:", err)
			continue
		}
		if err := b.measure(p); err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
	}
	return b.print()
}

// inputs creates the files that all runtimes read unless they exist from an earlier run.
func (b *bench) inputs() error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	if err := corpus.File(b.text(), b.size, corpus.Zipf); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(b.rows(), "_SUCCESS")); err == nil {
		return nil
	}
	fmt.Println("making", b.rows())
	if err := os.RemoveAll(b.rows()); err != nil {
		return err
	}
	_, err := timed(b.command(b.howdah, "run", "-q", "teragen", "-D", "mapreduce.job.maps=2",
		fmt.Sprint(b.size/100), b.rows()))
	return err
}

func (b *bench) text() string { return filepath.Join(b.dir, fmt.Sprintf("zipf-%d.txt", b.size)) }
func (b *bench) rows() string { return filepath.Join(b.dir, fmt.Sprintf("rows-%d", b.size)) }
