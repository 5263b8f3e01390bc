package howdah_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/mapreduce"
)

type (
	Context = mapreduce.Context
	Counts  = mapreduce.Out[string, int32]
)

// This is a complete program. Build it with go build and run ./wordcount IN OUT.
func ExampleMain() {
	howdah.Main(&mapreduce.Job{
		Name: "wordcount",
		Mapper: mapreduce.MapFunc(func(_ *Context, _ int64, line string, out *Counts) error {
			for _, word := range strings.Fields(line) {
				out.Emit(word, 1)
			}
			return nil
		}),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  mapreduce.Sum[int32](),
	})
}

// This program continues after its job. The job runs in this process, because no option names a
// cluster.
func ExampleRun() {
	if code, ok := howdah.Child(lineCount); ok { // the first call in main
		os.Exit(code)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, []byte("to be\nor not\nto be\n"), 0o600); err != nil {
		panic(err)
	}
	args := []string{"-D", "hadoop.tmp.dir=" + dir, in, out}
	if err := howdah.Run(context.Background(), args, io.Discard, io.Discard, lineCount); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
	fmt.Print(string(text), err)
	// Output:
	// or not	1
	// to be	2
	// <nil>
}

var lineCount = &mapreduce.Job{
	Name: "linecount",
	Mapper: mapreduce.MapFunc(func(_ *Context, _ int64, line string, out *Counts) error {
		out.Emit(line, 1)
		return nil
	}),
	Reducer: mapreduce.Sum[int32](),
}
