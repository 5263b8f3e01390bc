//go:build integration

package hadoopdiff

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/internal/codec"
)

func byName[T any](all []T, name func(T) string) map[string]T {
	out := map[string]T{}
	for _, x := range all {
		out[name(x)] = x
	}
	return out
}

var (
	programs = byName(allPrograms(), func(p program) string { return p.name })
	contents = byName(allContents(), func(d dimension) string { return d.name })
	layouts  = byName(allLayouts(), func(d dimension) string { return d.name })
	packings = byName(allPackings(), func(d dimension) string { return d.name })
	outputs  = byName(allOutputs(), func(d dimension) string { return d.name })
	reducers = byName(allReducers(), func(d dimension) string { return d.name })
)

func allReducers() (out []dimension) {
	for _, n := range []int{0, 1, 2, 7, 100} {
		name := fmt.Sprintf("%d reducers", n)
		if n == 1 {
			name = "1 reducer"
		}
		out = append(out, dimension{name, func(d *drawn, _ *rand.Rand) {
			if i := slices.Index(d.Args, "-r"); i >= 0 && d.Args[0] == "sort" {
				d.Args[i+1] = fmt.Sprint(n)
				return
			}
			d.set(fmt.Sprintf("mapreduce.job.reduces=%d", n))
		}})
	}
	return out
}

// allContents returns the kinds of text.
func allContents() []dimension {
	text := func(name string, make func(r *rand.Rand) func(*rand.Rand) string, set ...string) dimension {
		return dimension{name, func(d *drawn, r *rand.Rand) {
			d.text = make(r)
			d.set(set...)
		}}
	}
	lines := func(name string, ends ...string) dimension {
		return text(name, func(r *rand.Rand) func(*rand.Rand) string { return prose(5+r.IntN(60), ends...) })
	}
	return []dimension{
		lines("lines", "\n"), lines(`\r\n`, "\r\n"), lines("ends of all kinds", "\r\n", "\n", "\r", "\n\r"),
		lines("empty lines", "\n", "\n\n\n", "\r\n\r\n"),
		text("non-UTF-8", func(r *rand.Rand) func(*rand.Rand) string { return noise(500 + r.IntN(2000)) }),
		{"very long lines", func(d *drawn, r *rand.Rand) {
			d.In = spread(1, longLines)
			d.set("mapreduce.task.io.sort.mb=50")
		}},
		{"empty input", func(d *drawn, r *rand.Rand) {
			d.In = pick(r, []Input{none, file(""), files(map[string]string{"a": "", "b": ""})})
		}},
		{"odd record delimiter", func(d *drawn, r *rand.Rand) {
			end := pick(r, []string{"||", ";", "\r\n\r\n", "abab", "ü"})
			d.text = prose(40, end, "\n", end[:1])
			d.set("textinputformat.record.delimiter=" + end)
		}},
	}
}

// allLayouts returns the ways to lay out a text in files.
func allLayouts() []dimension {
	return []dimension{
		{"one file", func(d *drawn, _ *rand.Rand) { d.In = spread(1, d.text) }},
		{"some files", func(d *drawn, r *rand.Rand) { d.In = spread(2+r.IntN(3), d.text) }},
		{"1000 tiny files", func(d *drawn, _ *rand.Rand) {
			d.In = spread(1000, prose(1)) // contains words for any kind of text
		}},
		{"nested directories", func(d *drawn, _ *rand.Rand) {
			d.In = folders(d.text)
			d.set("mapreduce.input.fileinputformat.input.dir.recursive=true")
		}},
		{"hidden files", func(d *drawn, r *rand.Rand) {
			d.In = files(map[string]string{"a": d.text(r), "_b": d.text(r), ".c": d.text(r), "d._e": d.text(r)})
		}},
		{"globs", func(d *drawn, _ *rand.Rand) {
			d.In = spread(13, d.text)
			for i, a := range d.Args {
				if a == "{in}" {
					d.Args[i] = "{in}/{f*1*,f000[2-5]*}"
				}
			}
		}},
	}
}

// allPackings returns the ways to compress the input files.
func allPackings() []dimension {
	all := []dimension{{"in: not packed", func(*drawn, *rand.Rand) {}}}
	for _, c := range codecs {
		how, err := codec.ByClass(c)
		if err != nil {
			panic(err)
		}
		all = append(all, dimension{"in: " + c, func(d *drawn, _ *rand.Rand) { d.In = pack(how, d.In) }})
	}
	return all
}

// pack returns an input that compresses the files of another input with our codecs.
func pack(how codec.Codec, in Input) Input {
	return func(dir string, r *rand.Rand) error {
		if err := in(dir, r); err != nil {
			return err
		}
		return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			w := how.NewWriter(&b)
			if _, err := w.Write(text); err != nil {
				return err
			}
			if err := errors.Join(w.Close(), os.Remove(name)); err != nil {
				return err
			}
			return write(name+how.Extension(), b.String())
		})
	}
}

// allOutputs returns the ways in which a job may write its output.
func allOutputs() []dimension {
	all := []dimension{{"out: text", func(*drawn, *rand.Rand) {}},
		{"out: text, odd separator", func(d *drawn, r *rand.Rand) {
			d.KeyEnd = pick(r, []string{",", "::", "ü", " ", "\t\t"})
			d.set("mapreduce.output.textoutputformat.separator=" + d.KeyEnd)
		}}}
	sequence := func(d *drawn) {
		if d.Class == streaming {
			d.Args = append(d.Args, words("-outputformat org.apache.hadoop.mapred.SequenceFileOutputFormat")...)
			// Streaming supports only the types of its commands.
			d.set("mapreduce.job.output.key.class="+writables+"Text", "mapreduce.job.output.value.class="+writables+"Text")
		} else if i := slices.Index(d.Args, "-outFormat"); i >= 0 {
			d.Args[i+1] = outputPackage + "SequenceFileOutputFormat"
		} else {
			d.set(sequenceOut)
		}
	}
	for _, c := range codecs {
		all = append(all, dimension{"out: text, " + c, func(d *drawn, r *rand.Rand) {
			d.set(compressed(c, "RECORD")...)
			d.Anyhow = append(d.Anyhow, packedSize...)
		}})
		for _, kind := range []string{"RECORD", "BLOCK"} {
			all = append(all, dimension{"out: SequenceFile " + kind + ", " + c, func(d *drawn, r *rand.Rand) {
				sequence(d)
				d.set(compressed(c, kind)...)
				d.Anyhow = append(d.Anyhow, packedSize...)
			}})
		}
	}
	return append(all, dimension{"out: SequenceFile", func(d *drawn, _ *rand.Rand) { sequence(d) }})
}

// allPrograms returns the applications, and the features that arguments select.
func allPrograms() []program {
	plain := func(name string, args string, class string, in func(r *rand.Rand) Input, more ...func(d *drawn)) program {
		return program{name: name, text: in == nil, draw: func(d *drawn, r *rand.Rand) {
			d.Args, d.Class = words(args), class
			if in != nil {
				d.In = in(r)
			}
			for _, f := range more {
				f(d)
			}
		}}
	}
	fixed := func(p program) program { p.fixed = true; return p }
	loose := func(d *drawn) { d.Loose = true }
	anyhow := func(names ...string) func(d *drawn) { return func(d *drawn) { d.Anyhow = append(d.Anyhow, names...) } }
	authored := func(d *drawn) { d.Authored = true }
	lines := func(f func(n int) func(*rand.Rand) string) func(r *rand.Rand) Input {
		return func(r *rand.Rand) Input { return spread(1+r.IntN(3), f(20+r.IntN(100))) }
	}
	return []program{
		plain("wordcount", "wordcount {in} {out}", examples, nil),
		fixed(plain("grep", "grep {in} {out} w[0-9]+", examples, nil, loose, anyhow(randomName...))),
		fixed(plain("secondarysort", "secondarysort {in} {out}", examples,
			lines(func(n int) func(*rand.Rand) string { return numbers(n, 2) }))),
		fixed(plain("kmeans", "kmeans -k 3 -rounds 2 {in} {out}", twins, lines(points))),
		fixed(plain("pagerank", "pagerank -rounds 2 {in} {out}", twins, lines(web))),
		plain("bayes", "bayes {in} {out}", twins, lines(documents)),
		fixed(plain("tfidf", "tfidf {in} {out}", twins, lines(documents))),
		plain("wikitrends", "wikitrends {in} {out}", twins, lines(traffic)),
		fixed(plain("twitter", "twitter {in} {out}", twins,
			lines(func(n int) func(*rand.Rand) string { return follows(n, false) }))),
		fixed(plain("twitter-rank", "twitter-rank {in} {out}", twins,
			lines(func(n int) func(*rand.Rand) string { return follows(n, true) }))),
		fixed(plain("aggregatewordcount", "aggregatewordcount {in} {out} 2 textinputformat", examples, nil)),
		fixed(plain("aggregatewordhist", "aggregatewordhist {in} {out} 2 textinputformat", examples, nil)),
		plain("multiple outputs", "outputs {in} {out}", twins, nil, authored),
		plain("chain", "chained {in} {out}", twins, nil, authored, loose),
		fixed(program{name: "pi", draw: func(d *drawn, r *rand.Rand) {
			d.Args, d.Printed, d.NoOutput, d.Anyhow = []string{"pi", fmt.Sprint(1 + r.IntN(4)), fmt.Sprint(1 + r.IntN(5000))},
				`Estimated value of Pi is [\d.]+`, true, inMemory
		}}),
		fixed(program{name: "terasort", draw: func(d *drawn, r *rand.Rand) {
			d.Before, d.BeforeOurs = []string{"teragen", "-Dmapreduce.job.maps=1", fmt.Sprint(1 + r.IntN(2000)), "{made}"},
				r.IntN(2) == 0
			d.Args, d.Anyhow, d.Beside = words("terasort {made} {out}"), tagged, []string{"_partition.lst"}
		}}),
		fixed(program{name: "terasort checksum", draw: func(d *drawn, r *rand.Rand) {
			d.Before, d.BeforeOurs = []string{"teragen", "-Dmapreduce.job.maps=1", fmt.Sprint(1 + r.IntN(500)), "{made}"},
				r.IntN(2) == 0
			d.Args, d.Anyhow, d.Loose = words("teravalidate {made} {out}"), tagged, true
		}}),
		fixed(program{name: "multiple inputs", draw: func(d *drawn, r *rand.Rand) {
			d.In = files(map[string]string{"p/a": table(40, 2, "\t")(r), "p/b": table(20, 3, "\t")(r), "l/c": prose(40)(r)})
			d.Class, d.Authored, d.Args, d.Anyhow = twins, true, words("inputs {in}/p {in}/l {out}"), tagged
		}}),
		fixed(program{name: "join", draw: func(d *drawn, r *rand.Rand) {
			op := pick(r, []string{"inner", "outer", "override"})
			d.In, d.Loose, d.Anyhow = sortedPairs, true, tagged
			d.Args = slices.Concat([]string{"join", "-r", fmt.Sprint(1 + r.IntN(3))},
				textSort[:6])
			if op == "override" {
				d.Args = append(d.Args, "-outValue", writables+"Text")
			}
			d.Args = slices.Concat(d.Args, []string{"-joinOp", op}, words("{in}/a {in}/b {out}"))
		}}),
		fixed(plain("multifilewc", "multifilewc {in} {out}", examples,
			lines(func(n int) func(*rand.Rand) string { return prose(n, "\n", "\r\n", "\n\n") }), anyhow("Bytes Read"))),
		fixed(program{name: "random writers", draw: func(d *drawn, r *rand.Rand) {
			name := pick(r, []string{"randomwriter", "randomtextwriter"})
			d.Random, d.Args = true, []string{name, "{out}"}
			n := 1000 + r.IntN(9000) // for one map; Hadoop also combines several small files into one split
			d.set(fmt.Sprintf("mapreduce.%s.totalbytes=%d", name, n), fmt.Sprintf("mapreduce.%s.bytespermap=%d", name, n))
		}}),
		fixed(program{name: "puzzles", draw: func(d *drawn, r *rand.Rand) {
			if r.IntN(2) == 0 {
				d.Args, d.Shuffled = words("pentomino {out} -width 20 -height 3 -depth 2"), true
				d.set("mapreduce.pentomino.class=org.apache.hadoop.examples.dancing.Pentomino",
					fmt.Sprintf("mapreduce.job.maps=%d", 1+r.IntN(4)))
				return
			}
			d.In, d.Args, d.NoOutput, d.Printed = file(sudoku), words("sudoku {in}/a"), true, `(?m)^[0-9 ]+$`
		}}),
		{name: "odd field separators", draw: func(d *drawn, r *rand.Rand) {
			sep := pick(r, []string{",", " ", ";", "|", "-", "w"})
			d.In, d.Loose, d.Args = spread(2, table(20+r.IntN(60), 3, sep)), true, sorts(1)
			d.set("mapreduce.input.keyvaluelinerecordreader.key.value.separator=" + sep)
		}},
		fixed(program{name: "total order", draw: func(d *drawn, r *rand.Rand) {
			d.In, d.Loose, d.Args = spread(1+r.IntN(3), table(60+r.IntN(60), 2, "\t")), true,
				sorts(2, words("-totalOrder 1 10000 10")...)
			d.set("mapreduce.totalorderpartitioner.path={in}/_sortPartitioning")
		}}),
		{name: "key-field comparator", draw: func(d *drawn, r *rand.Rand) {
			keyfields(d, r)
			d.set("mapreduce.job.output.key.comparator.class=org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator",
				"mapreduce.partition.keycomparator.options="+pick(r, []string{"-k1,1", "-k2,2n", "-k2nr", "-k1,1r -k2n",
					"-k3.2,3.3", "-nr", "-k2.2n,2.3"}))
		}},
		{name: "key-field partitioner", draw: func(d *drawn, r *rand.Rand) {
			keyfields(d, r)
			d.set("mapreduce.job.partitioner.class=org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedPartitioner",
				"mapreduce.partition.keypartitioner.options="+pick(r, []string{"-k1,1", "-k2,2", "-k1,2", "-k2.2,2.3", "-k3",
					"-k1.1,1.1 -k3,3"}))
		}},
		{name: "NLine", text: true, draw: func(d *drawn, r *rand.Rand) {
			d.Args = words("wordcount {in} {out}")
			d.set("mapreduce.job.inputformat.class="+inputPackage+"NLineInputFormat",
				fmt.Sprintf("mapreduce.input.lineinputformat.linespermap=%d", 20+r.IntN(60)))
		}},
		{name: "SequenceFile in", draw: func(d *drawn, r *rand.Rand) {
			kind := slices.Concat([]string{sequenceOut},
				pick(r, [][]string{nil, compressed(pick(r, codecs), "RECORD"), compressed(pick(r, codecs), "BLOCK")}))
			d.In, d.BeforeOurs = spread(2, prose(80)), r.IntN(2) == 0
			d.Before = slices.Concat(words("wordcount"), dashD(kind), words("{in} {made}"))
			d.Args = words("sort -r 1 -inFormat " + inputPackage + "SequenceFileInputFormat -outFormat " + outputPackage +
				"TextOutputFormat -outKey " + writables + "Text -outValue " + writables + "IntWritable {made} {out}")
		}},
	}
}

// keyfields sorts lines with keys of four equal fields, so that the order is determined.
func keyfields(d *drawn, r *rand.Rand) {
	d.In, d.Loose, d.Args = spread(2, alike(20+r.IntN(60), ".")), true, sorts(1)
	d.set("mapreduce.map.output.key.field.separator=.")
}

// streamingPrograms returns a program for each Streaming case that succeeds and writes uncompressed
// output. Some of the programs read any text.
func streamingPrograms() (out []program) {
	for _, c := range streamingCases() {
		if c.Fails || c.NoOutput || strings.HasSuffix(c.Name, "compressed") {
			continue
		}
		out = append(out, program{name: c.Name, options: optionsOf(&c), draw: func(d *drawn, _ *rand.Rand) {
			name := d.Name
			d.Case = c
			d.Name, d.Args, d.Set, d.Anyhow = name, slices.Clone(c.Args), slices.Clone(c.Set), slices.Clone(c.Anyhow)
		}, fixed: slices.Contains(c.Args, "-outputformat") || slices.Contains(c.Args, "-io") ||
			slices.Contains(c.Args, "-lazyOutput") || c.Name == "streaming/identity-classes",
			text: slices.Contains([]string{"streaming/cat", "streaming/no-reducer-option", "streaming/verbose", "streaming/file",
				"streaming/files"}, c.Name)})
	}
	return out
}

// moreOptions adds Streaming options that do not change the result.
func moreOptions(d *drawn, r *rand.Rand) {
	for _, more := range [][]string{{"-verbose"}, {"-cmdenv", "NAME=a value"}, {"-mapdebug", "cat"},
		{"-reducedebug", "cat"}, {"-file", "{dir}/map.sh"}, {"-jobconf", "mapreduce.job.name=random"}} {
		// Do not add an option that the job already has, or the same file under a second option.
		if r.IntN(4) == 0 && !slices.Contains(d.Args, more[0]) && !slices.Contains(d.Args, more[0]+"s") {
			d.Args = append(d.Args, more...)
		}
	}
}

// optionsOf returns the options and the stream.* keys of a Streaming job. -io includes its value, and
// so does -reducer if it names no command.
func optionsOf(c *Case) (out []string) {
	for i, a := range c.Args {
		switch {
		case a == "-io":
			out = append(out, "streaming -io "+c.Args[i+1])
		case a == "-reducer" && slices.Contains([]string{"NONE", "aggregate"}, c.Args[i+1]):
			out = append(out, "streaming -reducer "+c.Args[i+1])
		case len(a) > 2 && a[0] == '-' && a[1] >= 'a' && a[1] <= 'z' && (i == 0 || c.Args[i-1] != "-mapper"):
			out = append(out, "streaming "+a)
		}
	}
	for _, s := range c.Set {
		if key, _, _ := strings.Cut(s, "="); strings.HasPrefix(key, "stream.") {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
