//go:build integration

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// job is a job that the programs run. example is the name of Hadoop's example for it.
type job struct {
	name, example string
	input         string // text, rows, small, or "" for no input and no output
	reduces       int
	args          []string // of the example, after the input and the output
	pattern       string   // regular expression of grep
	canonical     func(dir string) (string, error)
}

// The inputs.
const (
	text  = "zipf" // text with words that follow Zipf's law
	rows  = "rows" // TeraSort's rows
	small = "small"
)

const smallSize = 1024

// Patterns for grep. someMatch matches one in 1,400 words of the text, and noMatch matches none.
const (
	someMatch = "rap[a-z]*rw"
	noMatch   = "ymb[a-z]*sc"
)

var jobs = []job{
	{"wordcount", "wordcount", text, 2, nil, "", counted},
	{"terasort", "terasort", rows, 2, nil, "", ordered},
	{"grep", "grep", text, 2, []string{someMatch}, someMatch, counted},
	{"grep-nothing", "grep", text, 2, []string{noMatch}, noMatch, counted},
	{"small", "wordcount", small, 1, nil, "", counted},
	{"pi", "pi", "", 1, []string{"20", "1000"}, "", ordered},
}

func jobNames() []string {
	var names []string
	for _, j := range jobs {
		names = append(names, j.name)
	}
	return names
}

// mapReduceArgs returns the arguments of Hadoop's example. All MapReduce runtimes get the same
// settings, which are the number of reduces, and Hadoop's block size as the split size.
func (j *job) mapReduceArgs(in, out string) []string {
	args := []string{"-D", fmt.Sprint("mapreduce.job.reduces=", j.reduces),
		"-D", "mapreduce.input.fileinputformat.split.minsize=134217728"}
	if j.input != "" {
		args = append(args, in, out)
	}
	return append(args, j.args...)
}

// keepPi writes the result of the pi job to a part file. That job does not write output files, but
// prints its result. For other jobs, keepPi does nothing.
func (j *job) keepPi(messages []byte, out string) error {
	if j.input != "" {
		return nil
	}
	i := bytes.Index(messages, []byte("Estimated value of Pi"))
	if i < 0 {
		return fmt.Errorf("no estimate in %q", messages)
	}
	line, _, _ := bytes.Cut(messages[i:], []byte("\n"))
	return errors.Join(os.Mkdir(out, 0o755), os.WriteFile(filepath.Join(out, "part-0"), line, 0o644))
}

// parts returns the names of the part files in an output directory, in order.
func parts(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "part-*"))
	slices.Sort(files)
	if _, ended := os.Stat(filepath.Join(dir, "_SUCCESS")); err == nil && len(files) == 0 && ended != nil {
		return nil, fmt.Errorf("no part files in %s", dir)
	}
	return files, err
}

// ordered returns a digest of an output. The digest depends on the order of the lines, but not on
// where part files begin and end.
func ordered(dir string) (string, error) {
	h := sha256.New()
	err := eachPart(dir, func(f io.Reader) error {
		_, err := io.Copy(h, f)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// counted returns a digest of an output whose lines contain a word and its count, in either order.
// The digest does not depend on the order of the lines.
func counted(dir string) (string, error) {
	var lines []string
	err := eachPart(dir, func(f io.Reader) error {
		s := bufio.NewScanner(f)
		for s.Scan() {
			fields := bytes.Fields(s.Bytes())
			if len(fields) != 2 {
				return fmt.Errorf("%q is not a word and a count", s.Bytes())
			}
			word, count := fields[0], fields[1]
			if _, err := strconv.ParseInt(string(word), 10, 64); err == nil {
				word, count = count, word
			}
			lines = append(lines, string(word)+"\t"+string(count)+"\n")
		}
		return s.Err()
	})
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		io.WriteString(h, line)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// exact returns a digest of an output. The digest depends on all bytes, and on where part files
// begin and end.
func exact(dir string) (string, error) {
	h := sha256.New()
	err := eachPart(dir, func(f io.Reader) error {
		n, err := io.Copy(h, f)
		fmt.Fprintf(h, "|%d|", n)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

func eachPart(dir string, do func(io.Reader) error) error {
	files, err := parts(dir)
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = do(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
