//go:build integration

// Command peers compares howdah with other programs that do the same work on this machine: Apache
// Hadoop, Spark, DuckDB, GNU tools, and a program written only for this purpose. It generates the
// inputs, runs each job with each program once per round, checks that all results are equal, and
// prints the times. If there are at least 5 rounds, it also writes the times to a page with a
// picture.
//
//	make bench-peers
//	make bench-peers BYTES=100000000 PEERS=howdah,duckdb,gnu JOBS=terasort OUT=/tmp/page
//
// The command leaves out programs that this machine cannot run. It gets Python packages from the
// index that pip uses, and Hadoop's files from Maven.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/program"
)

func main() { program.Main(run) }

// pageRuns is the minimum number of rounds for a page.
const pageRuns = 5

func run(ctx context.Context) error {
	size := flag.Int64("bytes", 1_000_000_000, "size of each input")
	runs := flag.Int("runs", pageRuns, "number of runs of each job; the median counts")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "howdah-bench-peers"),
		"directory for files; keeps the inputs and Python packages for the next run")
	only := flag.String("peers", "howdah,minicluster,handwritten,duckdb,gnu,spark,local,yarn,howdah-yarn",
		"programs to measure; hdfs is a minicluster that uses HDFS; local and yarn are Hadoop; howdah-yarn is "+
			"howdah on the YARN cluster of yarn")
	which := flag.String("jobs", strings.Join(jobNames(), ","), "jobs to run")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	out := flag.String("out", "", "directory for the page and the picture; empty = none")
	flag.Parse()
	if *size < 100 || *runs < 1 || flag.NArg() > 0 {
		return errors.New("peers takes only options, with positive numbers; -h lists them")
	}
	binary, err := filepath.Abs(*howdah)
	if err != nil {
		return err
	}
	files, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	b := &bench{ctx: ctx, dir: files, howdah: binary, size: *size, runs: *runs}
	flag.Visit(func(f *flag.Flag) {
		if slices.Contains([]string{"bytes", "runs", "peers", "jobs"}, f.Name) {
			b.options = append(b.options, strings.ToUpper(f.Name)+"="+f.Value.String())
		}
	})
	for _, name := range strings.Split(*which, ",") {
		i := slices.IndexFunc(jobs, func(j job) bool { return j.name == name })
		if i < 0 {
			return fmt.Errorf("unknown job %q; the jobs are %s", name, strings.Join(jobNames(), ", "))
		}
		b.jobs = append(b.jobs, &jobs[i])
	}
	if err := b.inputs(); err != nil {
		return err
	}
	defer b.stop()
	if err := b.start(strings.Split(*only, ",")); err != nil {
		return err
	}
	m, err := thisMachine(ctx)
	if err != nil {
		return err
	}
	fmt.Println(m)
	if err := b.measure(); err != nil {
		return err
	}
	fmt.Printf("\nMedians of %d runs, input of %d bytes\n\n%s", b.runs, b.size, b.table())
	if text := b.useTable(); text != "" {
		fmt.Printf("\nUse of YARN\n\n%s", text)
	}
	if *out == "" {
		return nil
	}
	if *runs < pageRuns {
		fmt.Printf("\nNo page is written, because it needs at least %d runs.\n", pageRuns)
		return nil
	}
	return b.page(*out, m)
}

// start starts the named programs. It leaves out those that this machine cannot run.
func (b *bench) start(names []string) error {
	cluster := &yarnCluster{b: b}
	known := map[string]peer{"howdah": &inProcess{b: b}, "minicluster": &minicluster{b: b, dir: "minicluster"},
		"handwritten": &handwritten{b: b}, "duckdb": b.duckDB(), "gnu": &gnu{b: b}, "spark": b.spark(),
		"hdfs": &hdfsPeer{b: b}, "local": &localPeer{b: b}, "yarn": &yarnPeer{cluster},
		"howdah-yarn": &howdahYARN{cluster}}
	for _, name := range names {
		p := known[name]
		if p == nil {
			return fmt.Errorf("unknown program %q", name)
		}
		switch err := p.available(); {
		case b.ctx.Err() != nil:
			return b.ctx.Err()
		case err != nil:
			text := err.Error() // the last line of a tool's messages contains the reason
			fmt.Printf("%s is left out: %s\n", p.name(), text[strings.LastIndexByte(text, '\n')+1:])
			b.missing = append(b.missing, p.name())
			continue
		}
		if err := p.start(); err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
		b.peers = append(b.peers, p)
	}
	return nil
}

func (b *bench) stop() {
	for _, p := range b.peers {
		p.stop()
	}
}

// inputs creates the files that all programs read, unless they exist from an earlier run.
func (b *bench) inputs() error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	return errors.Join(corpus.File(b.input(text), b.size, corpus.Zipf), corpus.File(b.input(rows), b.size, corpus.Rows),
		corpus.File(b.input(small), smallSize, corpus.Zipf))
}

// input returns the path of the input file of the given kind.
func (b *bench) input(kind string) string {
	size := b.size
	if kind == small {
		size = smallSize
	}
	return filepath.Join(b.dir, fmt.Sprintf("%s-%d", kind, size))
}

// hadoopAvailable returns nil if this machine can run Hadoop. It also fetches Hadoop's files, so
// that the measurement does not include the download.
func hadoopAvailable(ctx context.Context) error {
	if err := apachehadoop.Available(); err != nil {
		return err
	}
	_, err := apachehadoop.Jars(ctx)
	return err
}
