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

// form is an output format with a compression.
type form struct {
	name     string
	set      []string // -D
	sequence bool
}

// forms returns text and SequenceFiles, uncompressed and with each codec.
func forms() []form {
	all := []form{{name: "text"}, {name: "sequence", set: set(sequenceOut), sequence: true}}
	for _, codec := range codecs {
		name := strings.ToLower(strings.TrimSuffix(codec, "Codec"))
		all = append(all, form{name: "text-" + name, set: compressed(codec, "RECORD")})
		for _, kind := range []string{"RECORD", "BLOCK"} {
			all = append(all, form{name: strings.ToLower(kind) + "-" + name, set: append(compressed(codec, kind), sequenceOut),
				sequence: true})
		}
	}
	return all
}

// writer is an example with an output format that the user selects.
type writer struct {
	args       []string // {out} is the output, and {format} is the class of an output format
	in         Input
	key, value string // key and value classes of its records
	only       string // the only supported kind, "text" or "sequence"; "" = both kinds
}

const keyValueIn = "-inFormat " + inputPackage + "KeyValueTextInputFormat "

// writers returns Hadoop's examples. It omits examples without an output of records and examples
// with a fixed format, such as teragen, terasort, pentomino, sudoku, bbp, distbbp, and wordmean. It
// also omits dbcount, which howdah does not have.
func writers() map[string]writer {
	in, pairs := spread(2, prose(60)), spread(2, table(50, 2, "\t"))
	return map[string]writer{
		"wordcount": {args: words("wordcount {in} {out}"), in: in, key: "Text", value: "IntWritable"},
		"grep":      {args: words("grep {in} {out} w[0-9]+"), in: in, key: "LongWritable", value: "Text"},
		"sort": {args: words("sort -r 2 " + keyValueIn + "-outFormat {format} -outKey " + writables +
			"Text -outValue " + writables + "Text {in} {out}"), in: pairs, key: "Text", value: "Text"},
		"multifilewc": {args: words("multifilewc {in} {out}"), in: in, key: "Text", value: "IntWritable"},
		"join": {args: words("join -r 2 " + keyValueIn + "-outFormat {format} -outKey " + writables +
			"Text -outValue " + writables + "Text -joinOp override {in}/a {in}/b {out}"), in: sortedPairs, key: "Text",
			value: "Text"},
		"randomtextwriter": {args: words("randomtextwriter -D mapreduce.randomtextwriter.totalbytes=30000 -D " +
			"mapreduce.randomtextwriter.bytespermap=15000 -outFormat {format} {out}"), key: "Text", value: "Text"},
		"randomwriter": {args: words("randomwriter -D mapreduce.randomwriter.totalbytes=60000 -D " +
			"mapreduce.randomwriter.bytespermap=30000 {out}"), key: "BytesWritable", value: "BytesWritable", only: "sequence"},
		"secondarysort":      {args: words("secondarysort {in} {out}"), in: spread(2, numbers(100, 2)), only: "text"},
		"aggregatewordcount": {args: words("aggregatewordcount {in} {out} 2 textinputformat"), in: in, only: "text"},
		"aggregatewordhist":  {args: words("aggregatewordhist {in} {out} 2 textinputformat"), in: in, only: "text"},
	}
}

// grid returns two cases for each example and each form that the example supports. In one case both
// sides read the output of Hadoop's example, and in the other the output of ours.
func grid() (out []Case) {
	all := writers()
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, f := range forms() {
		for j := range names {
			// Rotate the order of examples, so that even a small part of the grid contains all of them.
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
				args = words("sort -r 2 -inFormat " + inputPackage + "SequenceFileInputFormat -outFormat " + outputPackage +
					"TextOutputFormat -outKey " + writables + w.key + " -outValue " + writables + w.value + " {made} {out}")
			}
			c := Case{Name: name + "/" + f.name + "/theirs", In: w.in, Before: before, Args: args, Loose: true}
			out = append(out, c)
			c.Name, c.BeforeOurs = name+"/"+f.name+"/ours", true
			out = append(out, c)
		}
	}
	return out
}

// quickGrid is the approximate number of the grid's cases that run without -whole. It is large enough
// to cover each form and each example.
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
		step = len(all)/quickGrid | 1 // an odd step covers both sides
	}
	for i := 0; i < len(all); i += step {
		t.Run(all[i].Name, func(t *testing.T) { runCase(t, b, &all[i], 1) })
	}
}
