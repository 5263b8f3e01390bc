// Command features has a job for each of what a job may want of the runtime beside maps and reduces.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/mapreduce"
)

func main() { howdah.Main(cached) }

// cached says for each line of input, which names a file, what the distributed cache holds under that name.
var cached = &mapreduce.Job{Name: "cached", Conf: map[string]string{mapreduce.KeyReduces: "0"}, Mapper: mapreduce.MapFunc(readCached)}

func readCached(c *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	if err := gate(c); err != nil {
		return err
	}
	name := string(line)
	if _, err := os.Stat("out-of-process"); err == nil { // on a cluster the task runs where the links are
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

// gate waits until the file features.gate is there, if the job names one.
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
