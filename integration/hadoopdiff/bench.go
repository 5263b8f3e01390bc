//go:build integration

package hadoopdiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Bench runs cases with Hadoop and with howdah, the two sides. It is safe for concurrent use. If
// all JVMs are in use, Run waits for one.
type Bench struct {
	Dir     string // new directory for all of the bench's files
	Howdah  string // bin/howdah
	Cluster string // configuration directory of a minicluster, for cases with Cluster

	conf   string
	jvms   chan *JVM
	serial atomic.Int64
}

// NewBench prepares the files of a bench in dir and returns the bench, which has n JVMs.
func NewBench(ctx context.Context, dir, howdah, lib string, n int) (*Bench, error) {
	b := &Bench{Dir: dir, Howdah: howdah, conf: filepath.Join(dir, "conf"), jvms: make(chan *JVM, n)}
	classes := filepath.Join(dir, "classes")
	if err := errors.Join(WriteConf(b.conf), Compile(ctx, lib, classes)); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "authored"), "./testdata/authored")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build testdata/authored: %w: %s", err, out)
	}
	for i := range n {
		b.jvms <- NewJVM(lib, classes, b.conf, filepath.Join(dir, fmt.Sprintf("jvm%d", i)))
	}
	return b, nil
}

// Close closes the JVMs.
func (b *Bench) Close() {
	for range cap(b.jvms) {
		(<-b.jvms).Stop()
	}
}

// Outcome is the result of a case.
type Outcome struct {
	Differences  []string
	Theirs, Ours Result
	Dir          string // folder with the input and both outputs
}

// Run runs a case and compares the outputs. It returns an error if it could not compare them.
func (b *Bench) Run(c *Case, seed uint64) (o Outcome, err error) {
	j := <-b.jvms
	defer func() { b.jvms <- j }()
	o.Dir = filepath.Join(b.Dir, fmt.Sprintf("case%d", b.serial.Add(1)))
	in := filepath.Join(o.Dir, "in")
	if err := os.MkdirAll(in, 0o755); err != nil {
		return o, err
	}
	if c.In != nil {
		if err := c.In(in, rand.New(rand.NewPCG(seed, 0))); err != nil {
			return o, fmt.Errorf("create the input: %w", err)
		}
	}
	if err := write(filepath.Join(o.Dir, "map.sh"), "#!/bin/sh\ntr w v\n"); err != nil {
		return o, err
	}
	// The names of all sides have the same length because SPLIT_RAW_BYTES includes the names of
	// intermediate files.
	at := func(side string) places { return places{dir: o.Dir, in: in, out: filepath.Join(o.Dir, side)} }
	if err := b.before(c, j, at("")); err != nil {
		return o, err
	}
	class, args := c.theirs(at("hadoop"))
	if o.Theirs, err = j.Run(class, args...); err != nil {
		return o, err
	}
	o.Ours, err = b.howdah(b.program(c), o.Dir, b.conf, c.ours(at("howdah")))
	if err != nil {
		return o, err
	}
	o.Differences, err = b.compare(c, j, o.Dir, "howdah", o.Theirs, o.Ours)
	if !c.Cluster || err != nil {
		return o, err
	}
	r, err := b.howdah(b.program(c), o.Dir, b.Cluster, c.ours(at("minicl")))
	if err != nil {
		return o, err
	}
	diffs, err := b.compare(c, j, o.Dir, "minicl", o.Theirs, r)
	for _, d := range diffs {
		o.Differences = append(o.Differences, "on the minicluster: "+d)
	}
	return o, err
}

// before runs the job in the case's Before field.
func (b *Bench) before(c *Case, j *JVM, p places) (err error) {
	if c.Before == nil {
		return nil
	}
	var r Result
	if args := p.fill(c.Before); c.BeforeOurs {
		r, err = b.howdah(b.Howdah, p.dir, b.conf, append([]string{"run"}, args...))
	} else {
		r, err = j.Run(mainClass(examples), args...)
	}
	if err == nil && r.Code != 0 {
		err = errors.New(last(r.Err))
	}
	if err != nil {
		return fmt.Errorf("prepare by %q: %w", c.Before, err)
	}
	return nil
}

func (b *Bench) program(c *Case) string {
	if c.Authored {
		return filepath.Join(b.Dir, "authored")
	}
	return b.Howdah
}

// howdah runs a case's job with howdah.
func (b *Bench) howdah(program, dir, conf string, args []string) (r Result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "HADOOP_") && !strings.HasPrefix(e, "HOWDAH_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "HADOOP_CONF_DIR="+conf)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	start := time.Now()
	err = cmd.Run()
	r = Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Err: errOut.String(), Time: time.Since(start)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		err = nil
	}
	return r, err
}

// compare returns the differences between two runs of a case.
func (b *Bench) compare(c *Case, j *JVM, dir, side string, theirs, ours Result) (diffs []string, err error) {
	switch {
	case (theirs.Code == 0) != (ours.Code == 0):
		return []string{fmt.Sprintf("exit code %d there, %d here\nthere: %s\nhere: %s", theirs.Code, ours.Code,
			last(theirs.Err), last(ours.Err))}, nil
	case c.Fails != (theirs.Code != 0):
		return nil, fmt.Errorf("Hadoop's exit code is %d: %s", theirs.Code, last(theirs.Err))
	case c.Fails:
		return nil, nil // messages and outputs of failed jobs may differ
	}
	if c.Printed != "" {
		re := regexp.MustCompile(c.Printed)
		if t, o := re.FindAllString(theirs.Out, -1), re.FindAllString(ours.Out, -1); !slices.Equal(t, o) || len(t) == 0 {
			diffs = append(diffs, fmt.Sprintf("printed %q there, %q here", t, o))
		}
	}
	if !c.NoOutput {
		d, err := b.compareFiles(c, j, dir, side)
		if err != nil {
			return nil, err
		}
		diffs = append(diffs, d...)
	}
	if c.Random {
		return diffs, nil
	}
	return append(diffs, diffCounters(printedCounters(theirs.Err), printedCounters(ours.Err), c.Anyhow)...), nil
}

// last strips Java stack traces and job counters from a program's output, and returns the end of
// what remains.
func last(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, " map ") {
			b.WriteString(line)
		}
	}
	text = b.String()
	return text[max(0, len(text)-1200):]
}

// compareFiles compares the names of the output files and then their bytes. For SequenceFiles and
// compressed files, it compares the contents, which Hadoop reads for both sides.
func (b *Bench) compareFiles(c *Case, j *JVM, dir, side string) (diffs []string, err error) {
	theirs, err := tree(filepath.Join(dir, "hadoop"))
	if err != nil {
		return nil, err
	}
	ours, err := tree(filepath.Join(dir, side))
	if err != nil {
		return []string{fmt.Sprintf("no output: %v", err)}, nil
	}
	for _, n := range c.Beside {
		delete(theirs, n)
	}
	diffs = diffNames(theirs, ours)
	if c.Random {
		return diffs, nil
	}
	names := make([]string, 0, len(theirs))
	for n := range theirs {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		mine, ok := ours[n]
		if !ok || strings.HasSuffix(n, "/") {
			continue
		}
		read := reading(n, theirs[n])
		if read == "" {
			diffs = append(diffs, c.diffText(n, theirs[n], mine)...)
			continue
		}
		t, err := j.read(read, filepath.Join(dir, "hadoop", n))
		if err != nil {
			return nil, err
		}
		o, err := j.read(read, filepath.Join(dir, side, n))
		if err != nil {
			diffs = append(diffs, fmt.Sprintf("%s: Hadoop cannot read what we wrote: %v", n, err))
			continue
		}
		diffs = append(diffs, c.diffText(n, t, o)...)
	}
	return diffs, nil
}

// packed lists the codecs' file extensions.
var packed = []string{".gz", ".deflate", ".bz2", ".snappy", ".lz4", ".zst"}

// reading returns the command with which Hadoop reads a file whose bytes may differ even if its
// content is the same. It returns "" if the bytes must match.
func reading(name string, b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("SEQ\x06")):
		return "sequence"
	case slices.Contains(packed, filepath.Ext(name)):
		return "unpack"
	}
	return ""
}

// read returns the content of the named file as Hadoop reads it with the command how, which reading
// returned.
func (j *JVM) read(how, name string) ([]byte, error) {
	to := filepath.Join(j.dir, "read")
	r, err := j.Run("Tool", how, to, name)
	switch {
	case err != nil:
		return nil, err
	case r.Code != 0:
		return nil, errors.New(last(r.Err))
	}
	return os.ReadFile(to)
}
