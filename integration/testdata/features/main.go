// Command features contains jobs for testing the distributed cache, records that make tasks fail,
// and output committers.
package main

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

func main() { howdah.Main(cached, picky, committed) }

// cached reads the name of a file in the distributed cache from each line of its input and emits the
// line and the file's content. If the task's working directory contains a file out-of-process, cached
// also reads the named file from this directory and emits its content after "here " and the line.
var cached = &mapreduce.Job{Name: "cached", Conf: map[string]string{conf.JobReduces.Name: "0"},
	Mapper: mapreduce.MapFunc(readCached)}

func readCached(c *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	if err := gate(c); err != nil {
		return err
	}
	name := string(line)
	if _, err := os.Stat("out-of-process"); err == nil { // the test adds this file to jobs on a cluster
		here, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out.Emit(mapreduce.Text("here "+name), here)
	}
	first, rest, _ := cutPath(name)
	p, err := c.CacheFile(first)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(p, rest))
	if err != nil {
		return err
	}
	out.Emit(line, b)
	return out.Err()
}

func cutPath(name string) (first, rest string, ok bool) {
	for i := range name {
		if name[i] == '/' {
			return name[:i], name[i+1:], true
		}
	}
	return name, "", false
}

// picky counts lines. Its maps exit at a line with "crash" and panic at a line with "panic". Its
// reducers panic at a line with "reduce".
var picky = &mapreduce.Job{Name: "picky", Mapper: mapreduce.MapFunc(pick), Reducer: mapreduce.ReduceFunc(count)}

func pick(_ *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int64]) error {
	if strings.Contains(string(line), "crash") {
		os.Exit(9)
	}
	if strings.Contains(string(line), "panic") {
		panic("bad line")
	}
	out.Emit(line, 1)
	return out.Err()
}

func count(_ *mapreduce.Context, line mapreduce.Text, ones iter.Seq[int64],
	out *mapreduce.Out[mapreduce.Text, int64]) error {
	if strings.Contains(string(line), "reduce") {
		panic("bad line")
	}
	var n int64
	for one := range ones {
		n += one
	}
	out.Emit(line, n)
	return out.Err()
}

// gate waits until the file that features.gate names exists. It returns immediately if this setting
// is missing.
func gate(c *mapreduce.Context) error {
	name := c.Conf.Get("features.gate")
	for name != "" {
		if _, err := os.Stat(name); err == nil {
			return nil
		}
		select {
		case <-c.Context().Done():
			return fmt.Errorf("ended at the gate")
		case <-time.After(10 * time.Millisecond):
			c.Progress()
		}
	}
	return nil
}
