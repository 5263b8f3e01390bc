// Command trouble counts words. The first trouble.attempts attempts (by default, all attempts) of map
// 0 and of reduce 0 misbehave. trouble.map and trouble.reduce select the misbehavior:
//
//	error, panic       as in a user's code
//	exit               end the process with code 7
//	hang               block without reporting progress, with a child in its own session
//	wait               wait until the file that trouble.gate names exists
//
// trouble.at selects the place: setup, record, or cleanup. Each reduce writes trouble.files
// additional files.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/mapreduce"
)

func main() {
	howdah.Main(&mapreduce.Job{
		Name: "trouble", Short: "counts words with trouble", Usage: "<in>... <out>",
		Mapper:  mapreduce.MapOf(func() *counter { return &counter{} }),
		Reducer: mapreduce.ReduceOf(func() *adder { return &adder{} }),
	})
}

type counter struct{}

func (*counter) Setup(c *mapreduce.Context) error { return trouble(c, "map", "setup") }

func (*counter) Map(c *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, int64]) error {
	for _, w := range strings.Fields(string(line)) {
		out.Emit(mapreduce.Text(w), 1)
	}
	return errors.Join(out.Err(), trouble(c, "map", "record"))
}

func (*counter) Cleanup(c *mapreduce.Context, _ *mapreduce.Out[mapreduce.Text, int64]) error {
	return trouble(c, "map", "cleanup")
}

type adder struct{}

func (*adder) Setup(c *mapreduce.Context) error { return trouble(c, "reduce", "setup") }

func (*adder) Reduce(c *mapreduce.Context, word mapreduce.Text, counts iter.Seq[int64],
	out *mapreduce.Out[mapreduce.Text, int64]) error {
	var sum int64
	for n := range counts {
		sum += n
	}
	out.Emit(word, sum)
	return errors.Join(out.Err(), trouble(c, "reduce", "record"))
}

func (*adder) Cleanup(c *mapreduce.Context, _ *mapreduce.Out[mapreduce.Text, int64]) error {
	files, err := c.Conf.Int("trouble.files", 0, 0, 1e6)
	if err != nil {
		return err
	}
	for i := range files {
		f, err := c.CreateOutput(fmt.Sprintf("more-%d-%d", c.Partition(), i))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(f, i); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return trouble(c, "reduce", "cleanup")
}

func trouble(c *mapreduce.Context, typ, place string) error {
	attempts, err := c.Conf.Int("trouble.attempts", math.MaxInt32, 0, math.MaxInt32)
	if err != nil || c.Partition() != 0 || c.Conf.Get("trouble.at") != place || int64(c.Task().Attempt.N) >= attempts {
		return err
	}
	switch c.Conf.Get("trouble." + typ) {
	case "error":
		return errors.New("the poison is in here")
	case "panic":
		panic("the poison is in here")
	case "exit":
		os.Exit(7)
	case "hang":
		return hang()
	case "wait":
		return wait(c)
	}
	return nil
}

// hang starts a process outside the task's process group, and then blocks for an hour.
func hang() error {
	cmd := exec.Command("sleep", "1234")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	time.Sleep(time.Hour)
	return nil
}

func wait(c *mapreduce.Context) error {
	for {
		if _, err := os.Stat(c.Conf.Get("trouble.gate")); err == nil {
			return nil
		}
		select {
		case <-c.Context().Done():
			return context.Cause(c.Context())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
