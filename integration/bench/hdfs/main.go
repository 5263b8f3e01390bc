// Command hdfs measures how three clients read and write a single HDFS file. The clients are this
// project's, the github.com/colinmarc/hdfs/v2 library, and Apache Hadoop's. They take turns on an
// Apache Hadoop NameNode and DataNode on loopback. The file has one replica and is in the page
// cache. The command also measures the time of `fs -ls` from start to exit.
//
//	make bench-hdfs
//	go run ./integration/bench/hdfs -bytes 200000000 -runs 3 -dir /dev/shm/bench
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	library "github.com/colinmarc/hdfs/v2"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/integration/bench/program"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	size := flag.Int64("bytes", 1<<30, "size of the file")
	runs := flag.Int("runs", 5, "number of repetitions; the median counts")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "howdah-bench-hdfs"),
		"directory for HDFS's blocks; must not exist; removed afterward")
	only := flag.String("only", "", "measure only rows that match this regular expression")
	howdah := flag.String("howdah", "bin/howdah", "the binary to measure")
	flag.Parse()
	if err := apachehadoop.Available(); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(*howdah)
	if err != nil {
		return err
	}
	if err := os.Mkdir(*dir, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(*dir)
	b := &bench{ctx: ctx, howdah: binary, local: filepath.Join(*dir, "text"), size: *size}
	if err := b.start(filepath.Join(*dir, "hadoop")); err != nil {
		return err
	}
	defer b.hadoop.Stop()
	fmt.Printf("%s/%s, %d cores, %d bytes, %d runs each\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *size, *runs)
	return b.measure(chosen, *runs)
}

type bench struct {
	ctx           context.Context
	howdah, local string // paths of the binary and of the local copy of the file
	size          int64
	blocks        int // blocks of the source
	hadoop        *apachehadoop.Cluster
	lib           string // folder with Hadoop's jars
	ours          *hdfs.FS
	theirs        *library.Client
}

// The paths in HDFS of the file to read, and of the file that every write replaces.
const (
	source = "/source"
	target = "/target"
)

// start starts HDFS, writes the text to HDFS, and prepares the two Go clients.
func (b *bench) start(dir string) (err error) {
	if err := corpus.File(b.local, b.size, corpus.Zipf); err != nil {
		return err
	}
	text, err := os.Stat(b.local)
	if err != nil {
		return err
	}
	b.size = text.Size() // ends with a complete line and may exceed the requested size
	if b.lib, err = apachehadoop.Jars(b.ctx); err != nil {
		return err
	}
	if b.hadoop, err = apachehadoop.Start(b.ctx, dir, apachehadoop.Options{Benchmark: true}); err != nil {
		return err
	}
	nameNode := b.hadoop.Addr("namenode")
	if b.theirs, err = library.New(nameNode); err != nil {
		return err
	}
	b.ours = hdfs.New(hdfs.Options{Authority: nameNode, NameNode: namenode.Options{Addrs: []string{nameNode},
		User: "root"}, Replication: 1})
	if err := b.command(b.howdah, "fs", "-fs", b.hadoop.URI(), "-put", b.local, source)(); err != nil {
		return err
	}
	blocks, err := b.hadoop.Replicas("datanode1")
	b.blocks = len(blocks)
	return err
}

// row is one line of the results.
type row struct {
	name  string
	bytes int64 // number of bytes transferred; 0 = only the time matters
	do    func() error
	times []time.Duration
}

// rows returns a row for each possible measurement.
func (b *bench) rows() []*row {
	java := []string{"-cp", b.hadoop.ConfDir() + ":" + b.lib + "/*", apachehadoop.Shell}
	fs := []string{"fs", "-fs", b.hadoop.URI()}
	hadoop := func(args ...string) func() error { return b.command("java", append(slices.Clone(java), args...)...) }
	ours := func(args ...string) func() error { return b.command(b.howdah, append(slices.Clone(fs), args...)...) }
	return []*row{
		{name: "read, dfs/hdfs, 1 MiB at a time", bytes: b.size, do: func() error { return b.read(1 << 20) }},
		{name: "read, dfs/hdfs, 64 KiB at a time", bytes: b.size, do: func() error { return b.read(64 << 10) }},
		{name: "read, the library, 1 MiB at a time", bytes: b.size, do: b.readLibrary},
		{name: "howdah fs -cat", bytes: b.size, do: ours("-cat", source)},
		{name: "hadoop fs -cat", bytes: b.size, do: hadoop("-cat", source)},
		{name: "write, dfs/hdfs", bytes: b.size, do: b.write},
		{name: "write, the library", bytes: b.size, do: b.writeLibrary},
		{name: "howdah fs -put", bytes: b.size, do: ours("-put", b.local, target)},
		{name: "hadoop fs -put", bytes: b.size, do: hadoop("-put", b.local, target)},
		{name: "howdah fs -ls", do: ours("-ls", "/")},
		{name: "hadoop fs -ls", do: hadoop("-ls", "/")},
	}
}

// measure runs every chosen row once per round and then prints a line for each row. Each round
// starts one row later than the previous one. The first round does not count because Java compiles
// the DataNode's code during that round.
func (b *bench) measure(chosen *regexp.Regexp, runs int) error {
	rows := slices.DeleteFunc(b.rows(), func(r *row) bool { return !chosen.MatchString(r.name) })
	for round := range runs + 1 {
		for i := range rows {
			r := rows[(i+round)%len(rows)]
			if err := b.tidy(); err != nil {
				return err
			}
			start := time.Now()
			if err := r.do(); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if round > 0 {
				r.times = append(r.times, time.Since(start))
			}
		}
	}
	fmt.Printf("%-36s %8s %8s %8s %8s\n", "", "median s", "best", "worst", "GB/s")
	for _, r := range rows {
		slices.Sort(r.times)
		median := r.times[len(r.times)/2]
		fmt.Printf("%-36s %8.3f %8.3f %8.3f", r.name, median.Seconds(), r.times[0].Seconds(),
			r.times[len(r.times)-1].Seconds())
		if r.bytes > 0 {
			fmt.Printf(" %8.2f", float64(r.bytes)/median.Seconds()/1e9)
		}
		fmt.Println()
	}
	return nil
}

// tidy removes the written file. It then waits until the DataNode has deleted the file's blocks and
// the disk has no pending writes. Otherwise, a measurement would include the cost of the previous
// one.
func (b *bench) tidy() error {
	if err := b.theirs.RemoveAll(target); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	err := b.hadoop.Await(b.ctx, "the blocks of "+target+" to go", func() (bool, error) {
		blocks, err := b.hadoop.Replicas("datanode1")
		return len(blocks) == b.blocks, err
	})
	syscall.Sync()
	return err
}

// command returns a function that runs a program and discards its output. If the program fails, the
// error contains its standard error.
func (b *bench) command(name string, args ...string) func() error {
	return func() error {
		cmd := exec.CommandContext(b.ctx, name, args...)
		cmd.Env = append(os.Environ(), "HADOOP_USER_NAME=root")
		var told strings.Builder
		cmd.Stderr = &told
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w: %s", err, told.String())
		}
		return nil
	}
}

func (b *bench) read(buffer int) error {
	f, err := b.ours.Open(b.ctx, source)
	if err != nil {
		return err
	}
	defer f.Close()
	return drain(f, buffer, b.size)
}

func (b *bench) readLibrary() error {
	f, err := b.theirs.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	return drain(f, 1<<20, b.size)
}

// drain reads all bytes and checks their number.
func drain(r io.Reader, buffer int, want int64) error {
	buf := make([]byte, buffer)
	var n int64
	for {
		k, err := r.Read(buf)
		n += int64(k)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if n != want {
		return fmt.Errorf("read %d of %d bytes", n, want)
	}
	return nil
}

func (b *bench) write() error {
	w, err := b.ours.Create(b.ctx, target, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	if err := b.fill(w); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

func (b *bench) writeLibrary() error {
	w, err := b.theirs.Create(target)
	if err != nil {
		return err
	}
	if err := b.fill(w); err != nil {
		return err
	}
	for {
		err := w.Close()
		if !library.IsErrReplicating(err) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// fill writes zero bytes up to the file's size, 1 MiB at a time.
func (b *bench) fill(w io.Writer) error {
	buf := make([]byte, 1<<20)
	for left := b.size; left > 0; left -= int64(len(buf)) {
		if _, err := w.Write(buf[:min(left, int64(len(buf)))]); err != nil {
			return err
		}
	}
	return nil
}
