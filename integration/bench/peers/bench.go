package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// jobs are the programs, by Hadoop's names.
var jobs = []string{"wordcount", "terasort"}

// peer is a runtime in the comparison.
type peer interface {
	name() string
	start() error
	stop()
	// run runs a job on local input, writes its output to out, and returns the client's time from
	// start to exit.
	run(job, in, out string) (time.Duration, error)
}

// bench collects the measurements.
type bench struct {
	ctx         context.Context
	dir, howdah string
	size        int64
	runs        int
	results     []result
}

type result struct {
	peer, job string
	took      time.Duration
	digest    string // digest of the part files, which must be the same in all runs
}

func (b *bench) input(job string) string {
	if job == "terasort" {
		return b.rows()
	}
	return b.text()
}

// measure runs all jobs on one runtime.
func (b *bench) measure(p peer) error {
	if err := p.start(); err != nil {
		return err
	}
	defer p.stop()
	out := filepath.Join(b.dir, "out")
	for _, job := range jobs {
		var all []time.Duration
		digest := ""
		for range b.runs {
			if err := os.RemoveAll(out); err != nil {
				return err
			}
			took, err := p.run(job, b.input(job), out)
			if err != nil {
				return err
			}
			all = append(all, took)
			sum, err := digestOf(out)
			if err != nil {
				return err
			}
			if digest != "" && sum != digest {
				return fmt.Errorf("%s: the outputs of two runs differ", job)
			}
			digest = sum
			fmt.Printf("%s %s: %.1f s\n", p.name(), job, took.Seconds())
		}
		slices.Sort(all)
		b.results = append(b.results, result{p.name(), job, all[len(all)/2], digest})
	}
	return os.RemoveAll(out)
}

// digestOf returns a digest of an output's part files, in order.
func digestOf(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, fmt.Errorf("no part files in %s", dir))
	}
	slices.Sort(files)
	h := sha256.New()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "|%d|", n)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// print prints the times and their ratios to those of the first runtime. It returns an error if
// outputs differ.
func (b *bench) print() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\njob\truntime\tseconds\trelative to the first\toutput")
	differ := false
	for _, job := range jobs {
		var base result
		for _, r := range b.results {
			if r.job != job {
				continue
			}
			if base.job == "" {
				base = r
			}
			differ = differ || r.digest != base.digest
			fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\t%s\n", job, r.peer, r.took.Seconds(),
				r.took.Seconds()/base.took.Seconds(), r.digest)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if differ {
		return errors.New("the outputs differ")
	}
	return nil
}

func (b *bench) command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(b.ctx, name, args...)
}

// timed runs a command and returns its time from start to exit.
func timed(cmd *exec.Cmd) (time.Duration, error) {
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return took, fmt.Errorf("%s: %w: %s", cmd, err, errOut.String())
	}
	return took, nil
}
