//go:build integration

package hadoopdiff

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
)

// form is a way in which an output can be written.
type form struct {
	name     string
	set      []string // -D
	sequence bool
}

// forms are text and SequenceFiles, without compression and with each codec.
func forms() []form {
	all := []form{{name: "text"}, {name: "sequence", set: set(sequenceOut), sequence: true}}
	for _, codec := range codecs {
		name := strings.ToLower(strings.TrimSuffix(codec, "Codec"))
		all = append(all, form{name: "text-" + name, set: compressed(codec, "RECORD")})
		for _, kind := range []string{"RECORD", "BLOCK"} {
			all = append(all, form{name: strings.ToLower(kind) + "-" + name, set: append(compressed(codec, kind), sequenceOut), sequence: true})
		}
	}
	return all
}

// writer is an example that writes files of a form that the user chooses.
type writer struct {
	args       []string // {out} is what it writes; {format} the class of an output format
	in         Input
	key, value string // classes of its records
	only       string // "text" or "sequence"; "" = both
}

const keyValueIn = "-inFormat " + inputPackage + "KeyValueTextInputFormat "

// writers are Hadoop's examples, except those that write what is no file of records, or nothing, or in one form alone (teragen and
// terasort, pentomino, sudoku, bbp, distbbp, wordmean and its like), and dbcount, which is not there.
func writers() map[string]writer {
	in, pairs := spread(2, prose(60)), spread(2, table(50, 2, "\t"))
	return map[string]writer{
		"wordcount":          {args: words("wordcount {in} {out}"), in: in, key: "Text", value: "IntWritable"},
		"grep":               {args: words("grep {in} {out} w[0-9]+"), in: in, key: "LongWritable", value: "Text"},
		"sort":               {args: words("sort -r 2 " + keyValueIn + "-outFormat {format} -outKey " + writables + "Text -outValue " + writables + "Text {in} {out}"), in: pairs, key: "Text", value: "Text"},
		"multifilewc":        {args: words("multifilewc {in} {out}"), in: in, key: "Text", value: "IntWritable"},
		"join":               {args: words("join -r 2 " + keyValueIn + "-outFormat {format} -outKey " + writables + "Text -outValue " + writables + "Text -joinOp override {in}/a {in}/b {out}"), in: sortedPairs, key: "Text", value: "Text"},
		"randomtextwriter":   {args: words("randomtextwriter -D mapreduce.randomtextwriter.totalbytes=30000 -D mapreduce.randomtextwriter.bytespermap=15000 -outFormat {format} {out}"), key: "Text", value: "Text"},
		"randomwriter":       {args: words("randomwriter -D mapreduce.randomwriter.totalbytes=60000 -D mapreduce.randomwriter.bytespermap=30000 {out}"), key: "BytesWritable", value: "BytesWritable", only: "sequence"},
		"secondarysort":      {args: words("secondarysort {in} {out}"), in: spread(2, numbers(100, 2)), only: "text"},
		"aggregatewordcount": {args: words("aggregatewordcount {in} {out} 2 textinputformat"), in: in, only: "text"},
		"aggregatewordhist":  {args: words("aggregatewordhist {in} {out} 2 textinputformat"), in: in, only: "text"},
	}
}

// grid has two cases for each example and form: what Hadoop's example wrote is read on both sides, and what ours wrote.
func grid() (out []Case) {
	all := writers()
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, f := range forms() {
		for j := range names {
			// The order of examples turns, so that any part of the grid has all of them.
			name := names[(i+j)%len(names)]
			w := all[name]
			if w.only == "text" && f.sequence || w.only == "sequence" && !f.sequence {
				continue
			}
			format := "TextOutputFormat"
			if f.sequence {
				format = "SequenceFileOutputFormat"
			}
			before := append([]string{w.args[0]}, dashD(f.set)...)
			for _, a := range w.args[1:] {
				before = append(before, strings.NewReplacer("{format}", outputPackage+format, "{out}", "{made}").Replace(a))
			}
			args := words("wordcount {made} {out}")
			if f.sequence {
				args = words("sort -r 2 -inFormat " + inputPackage + "SequenceFileInputFormat -outFormat " + outputPackage + "TextOutputFormat -outKey " + writables + w.key + " -outValue " + writables + w.value + " {made} {out}")
			}
			c := Case{Name: name + "/" + f.name + "/theirs", In: w.in, Before: before, Args: args, Loose: true}
			out = append(out, c)
			c.Name, c.BeforeOurs = name+"/"+f.name+"/ours", true
			out = append(out, c)
		}
	}
	return out
}

// In every build this many of the grid's cases run, which have each form and each example.
const quickGrid = 24

func TestExamplesInEveryForm(t *testing.T) {
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	lib, err := apachehadoop.Jars(context.Background())
	require.NoError(t, err)
	b, err := NewBench(context.Background(), filepath.Join(t.TempDir(), "grid"), minicluster.Binary(t), lib, 1)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	all := grid()
	step := 1
	if !*whole {
		step = len(all)/quickGrid | 1 // odd: of both sides
	}
	for i := 0; i < len(all); i += step {
		t.Run(all[i].Name, func(t *testing.T) { runCase(t, b, &all[i], 1) })
	}
}
