//go:build integration

package hadoopdiff

import (
	"fmt"
	"slices"
	"strings"
)

// Packages of Hadoop's classes, with a dot at the end.
const (
	inputPackage  = "org.apache.hadoop.mapreduce.lib.input."
	outputPackage = "org.apache.hadoop.mapreduce.lib.output."
	writables     = "org.apache.hadoop.io."
)

// textSort holds the arguments of sort for lines of the form KEY TAB VALUE.
var textSort = words("-inFormat " + inputPackage + "KeyValueTextInputFormat -outFormat " + outputPackage +
	"TextOutputFormat -outKey " + writables + "Text -outValue " + writables + "Text")

func sorts(reducers int, rest ...string) []string {
	return slices.Concat([]string{"sort", "-r", fmt.Sprint(reducers)}, textSort, rest, words("{in} {out}"))
}

func set(pairs ...string) []string { return pairs }

// shape is a kind of text input, with the settings and the input path for it.
type shape struct {
	name string
	in   Input
	set  []string
	path string // "" = {in}
}

// uncounted is the counter that Hadoop's combining format does not update.
var uncounted = []string{"Bytes Read"}

var combine = "mapreduce.job.inputformat.class=" + inputPackage + "CombineTextInputFormat"

var shapes = []shape{
	{name: "plain", in: spread(3, prose(100))},
	{name: "crlf", in: spread(2, prose(100, "\r\n"))},
	{name: "mixed-ends", in: spread(2, prose(100, "\r\n", "\n", "\r", "\n\r", "\r\r\n"))},
	{name: "no-last-end", in: files(map[string]string{"a": "one two\nthree", "b": "four\r", "c": "five\r\nsix\r\n\r"})},
	{name: "noise", in: spread(2, noise(5000))},
	{name: "empty-lines", in: spread(2, prose(60, "\n", "\n\n\n", "\r\n\r\n"))},
	{name: "long-lines", in: spread(2, longLines), set: set("mapreduce.task.io.sort.mb=50")},
	{name: "utf-8", in: file("\ufeffGrüße 世界\tü\u2028x\u0085y\n\u00a0nbsp 🐘🐘 a\u0301\n\x00nul \x00 \n")},
	{name: "bom-only", in: files(map[string]string{"a": "\xef\xbb\xbf", "b": "\xef\xbb\xbf\n", "c": "\xef\xbbx\n"})},
	{name: "empty-file", in: files(map[string]string{"a": "", "b": "x y\n", "c": ""})},
	{name: "only-empty-files", in: files(map[string]string{"a": "", "b": ""})},
	{name: "no-files", in: none},
	{name: "hidden", in: files(map[string]string{"a": "seen\n", "_b": "not seen\n", ".c": "not seen\n", "d_": "seen\n",
		"e.f": "seen\n"})},
	{name: "nested", in: folders(prose(20)), set: set("mapreduce.input.fileinputformat.input.dir.recursive=true")},
	{name: "nested-hidden", in: files(map[string]string{"d/a": "seen\n", "d/_b": "no\n", "_e/c": "no\n", ".f/g": "no\n"}),
		set: set("mapreduce.input.fileinputformat.input.dir.recursive=true")},
	{name: "nested-ignored", in: folders(prose(20)),
		set: set("mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs=true")},
	{name: "glob-star", in: spread(14, prose(10)), path: "{in}/f*1"},
	{name: "glob-set", in: spread(14, prose(10)), path: "{in}/f00{01,03,1?}"},
	{name: "glob-class", in: spread(14, prose(10)), path: "{in}/f000[2-47]"},
	{name: "glob-not", in: spread(14, prose(10)), path: "{in}/f000[^2-47]"},
	{name: "glob-folders", in: folders(prose(20)), path: "{in}/*/*",
		set: set("mapreduce.input.fileinputformat.input.dir.recursive=true")},
	{name: "list", in: spread(4, prose(10)), path: "{in}/f0000,{in}/f0002,{in}/f000[3]"},
	{name: "twice", in: spread(2, prose(10)), path: "{in}/f0000,{in}/f0000"},
	{name: "blank-name", in: files(map[string]string{"a b": "x\n", "c,d": "y\n", "e%20f": "z\n", "ü": "w\n"})},
	{name: "small-splits", in: spread(2, prose(100, "\n", "\r\n")),
		set: set("mapreduce.input.fileinputformat.split.maxsize=333")},
	{name: "big-minsize", in: spread(2, prose(100)), set: set("mapreduce.input.fileinputformat.split.maxsize=100",
		"mapreduce.input.fileinputformat.split.minsize=700")},
	{name: "line-maxlength", in: spread(2, longLines),
		set: set("mapreduce.task.io.sort.mb=50", "mapreduce.input.linerecordreader.line.maxlength=20")},
	{name: "delimiter", in: file("a b||c d|e||\nf||||g|"), set: set("textinputformat.record.delimiter=||")},
	{name: "delimiter-crlf", in: spread(2, prose(60, "\r\n", "\n", "\r")),
		set: set("textinputformat.record.delimiter=\r\n")},
	{name: "delimiter-splits", in: spread(2, prose(90, ";;", ";", "\n")), set: set("textinputformat.record.delimiter=;;",
		"mapreduce.input.fileinputformat.split.maxsize=97")},
	{name: "combined", in: spread(40, prose(5)), set: set(combine, "mapreduce.input.fileinputformat.split.maxsize=1000")},
}

func (s shape) input() string {
	if s.path != "" {
		return s.path
	}
	return "{in}"
}

// paths returns the input paths one by one. It splits the list only at commas that precede {in},
// because other commas may be inside braces.
func (s shape) paths() []string {
	return strings.Split(strings.ReplaceAll(s.input(), ",{in}", "\n{in}"), "\n")
}

// textCases returns cases that count every shape and sort all but the combined one.
func textCases() (out []Case) {
	for _, s := range shapes {
		in := s.input()
		var anyhow []string
		if slices.Contains(s.set, combine) {
			anyhow = uncounted
		}
		out = append(out, Case{Name: "wordcount/" + s.name, In: s.in, Set: s.set, Anyhow: anyhow,
			Args: slices.Concat([]string{"wordcount"}, s.paths(), []string{"{out}"})})
		if s.name == "combined" {
			continue // sort uses its own input format
		}
		out = append(out, Case{Name: "sort/" + s.name, In: s.in, Set: s.set, Loose: true,
			Args: slices.Concat(words("sort -r 2"), textSort, []string{in, "{out}"})})
	}
	return out
}

// settingCases returns cases that vary a job's settings and arguments.
func settingCases() (out []Case) {
	for _, n := range []int{0, 1, 2, 7, 100} {
		out = append(out,
			Case{Name: fmt.Sprintf("wordcount/reducers-%d", n), In: spread(3, prose(50)),
				Set: set(fmt.Sprintf("mapreduce.job.reduces=%d", n)), Args: words("wordcount {in} {out}")},
			Case{Name: fmt.Sprintf("sort/reducers-%d", n), In: spread(3, table(50, 3, "\t")), Args: sorts(n), Loose: true},
			Case{Name: fmt.Sprintf("secondarysort/reducers-%d", max(n, 3)), In: spread(2, numbers(50, 2)),
				Set: set(fmt.Sprintf("mapreduce.job.reduces=%d", max(n, 3))), Args: words("secondarysort {in} {out}")})
	}
	for i, sep := range []string{",", " ", ";;", "ü", "|"} {
		out = append(out, Case{Name: fmt.Sprintf("sort/separator-%d", i), In: spread(2, table(40, 3, sep)), Loose: true,
			Args: sorts(2),
			Set:  set("mapreduce.input.keyvaluelinerecordreader.key.value.separator=" + sep)},
			Case{Name: fmt.Sprintf("wordcount/output-separator-%d", i), In: spread(1, prose(40)),
				Args: words("wordcount {in} {out}"),
				Set:  set("mapreduce.output.textoutputformat.separator=" + sep)})
	}
	for _, old := range []string{"mapred.reduce.tasks=3", "mapred.textoutputformat.separator=;",
		"mapred.max.split.size=400", "mapred.min.split.size=100", "mapreduce.output.basename=words"} {
		key, _, _ := strings.Cut(old, "=")
		out = append(out, Case{Name: "wordcount/" + key, In: spread(2, prose(60)), Set: set(old),
			Args: words("wordcount {in} {out}")})
	}
	return append(out,
		Case{Name: "wordcount/no-success", In: spread(1, prose(10)),
			Set: set("mapreduce.fileoutputcommitter.marksuccessfuljobs=false"), Args: words("wordcount {in} {out}")},
		Case{Name: "wordcount/committer-1", In: spread(1, prose(10)),
			Set: set("mapreduce.fileoutputcommitter.algorithm.version=1"), Args: words("wordcount {in} {out}")},
		Case{Name: "wordcount/committer-2", In: spread(1, prose(10)),
			Set: set("mapreduce.fileoutputcommitter.algorithm.version=2"), Args: words("wordcount {in} {out}")},
		Case{Name: "wordcount/key-value-input", In: spread(2, table(40, 3, "\t")),
			Set:  set("mapreduce.job.inputformat.class=" + inputPackage + "KeyValueTextInputFormat"),
			Args: words("wordcount {in} {out}")},
		Case{Name: "wordcount/sequence-input", In: spread(2, table(40, 3, "\t")),
			Before: slices.Concat(words("sort -r 2"), textSort[:2],
				words("-outFormat "+outputPackage+"SequenceFileOutputFormat"), textSort[4:], words("{in} {made}")),
			Set:  set("mapreduce.job.inputformat.class=" + inputPackage + "SequenceFileInputFormat"),
			Args: words("wordcount {made} {out}")},
		Case{Name: "wordcount/empty-value", In: spread(1, prose(20)),
			Set: set("mapreduce.output.textoutputformat.separator="), Args: words("wordcount {in} {out}")},
		Case{Name: "sort/options-behind", In: spread(2, table(40, 2, "\t")), Loose: true,
			Args: slices.Concat(words("sort {in}"), textSort, words("{out} -r 2"))},
		Case{Name: "wordcount/two-inputs", In: spread(3, prose(10)), Args: words("wordcount {in}/f0000 {in}/f0002 {out}")},
		Case{Name: "wordcount/1000-files", In: spread(1000, prose(2)), Set: set("mapreduce.job.reduces=2"),
			Args: words("wordcount {in} {out}")},
		Case{Name: "wordcount/1000-files-combined", In: spread(1000, prose(2)), Set: set(combine), Anyhow: uncounted,
			Args: words("wordcount {in} {out}")},
	)
}

// randomName is the counter that depends on the name of grep's intermediate directory, which
// contains a random number in Hadoop.
var randomName = []string{"Input split bytes"}

// inMemory lists the counters that differ because Hadoop's pi stores its numbers in files, and
// howdah's pi stores them in the job.
var inMemory = []string{"Bytes Read", "Bytes Written", "Input split bytes", "Combine input records",
	"Combine output records", "Reduce input records", "INSIDE"}

// sudoku is a puzzle with a single solution.
const sudoku = "8 5 ? 3 9 ? ? ? ?\n? ? 2 ? ? ? ? ? ?\n? ? 6 ? 1 ? ? ? 2\n? ? 4 ? ? 3 ? 5 9\n? ? 8 9 ? 1 4 ? ?\n3 2 ? " +
	"4 ? ? 8 ? ?\n9 ? ? ? 8 ? 5 ? ?\n? ? ? ? ? ? 2 ? ?\n? ? ? ? 4 5 ? 7 8\n"

// appCases returns cases for the applications. Hadoop runs a program of java/Twins.java if it has no
// such application.
func appCases() []Case {
	articles := documents(60)
	return []Case{
		{Name: "grep", In: spread(3, prose(100)), Args: words("grep {in} {out} w[0-9]+"), Loose: true, Anyhow: randomName},
		{Name: "grep/group", In: spread(3, prose(100)), Args: words("grep {in} {out} w([0-9])([a-f]) 2"), Loose: true,
			Anyhow: randomName},
		{Name: "grep/nothing", In: spread(2, prose(10)), Args: words("grep {in} {out} nothing-like-that"),
			Anyhow: randomName},
		{Name: "grep/tabs", In: spread(2, table(50, 3, "\t")), Args: words(`grep {in} {out} \S+\t\S+`), Loose: true,
			Anyhow: randomName},
		{Name: "grep/reducers-3", In: spread(3, prose(100)), Set: set("mapreduce.job.reduces=3"),
			Args: words("grep {in} {out} w[0-9]"), Loose: true, Anyhow: randomName},
		{Name: "secondarysort", In: spread(2, numbers(200, 2)), Args: words("secondarysort {in} {out}")},
		{Name: "secondarysort/extremes", In: file("2147483647 -2147483648\n-2147483648 2147483647\n0 0\n-1 1\n1 -1\n7\n"),
			Args: words("secondarysort {in} {out}")},
		{Name: "pi", Args: words("pi 3 1000"), Printed: `Estimated value of Pi is [\d.]+`, NoOutput: true, Anyhow: inMemory},
		{Name: "pi/one", Args: words("pi 1 1"), Printed: `Estimated value of Pi is [\d.]+`, NoOutput: true, Anyhow: inMemory},
		{Name: "kmeans", Class: twins, In: spread(3, points(80)), Args: words("kmeans -k 3 -rounds 4 {in} {out}")},
		{Name: "kmeans/reducers-2", Class: twins, In: spread(2, points(80)), Set: set("mapreduce.job.reduces=2"),
			Args: words("kmeans -k 5 -rounds 2 -seed 9 {in} {out}")},
		{Name: "pagerank", Class: twins, In: spread(2, web(40)), Args: words("pagerank -rounds 3 {in} {out}")},
		{Name: "pagerank/reducers-3", Class: twins, In: spread(2, web(40)), Set: set("mapreduce.job.reduces=3"),
			Args: words("pagerank -rounds 2 -damping 0.5 {in} {out}")},
		{Name: "bayes", Class: twins, In: spread(2, articles), Args: words("bayes {in} {out}")},
		{Name: "tfidf", Class: twins, In: spread(2, articles), Args: words("tfidf {in} {out}")},
		{Name: "tfidf/reducers-2", Class: twins, In: spread(2, articles), Set: set("mapreduce.job.reduces=2"),
			Args: words("tfidf {in} {out}")},
		{Name: "wikitrends", Class: twins, In: spread(2, traffic(100)), Args: words("wikitrends {in} {out}")},
		{Name: "twitter", Class: twins, In: spread(2, follows(60, false)), Args: words("twitter {in} {out}"),
			Printed: `\d+ of \d+ links`},
		{Name: "twitter-rank", Class: twins, In: spread(2, follows(60, true)), Args: words("twitter-rank {in} {out}")},
		{Name: "teragen", Theirs: words("teragen 1000 {out}"), Ours: words("teragen -Dmapreduce.job.maps=1 1000 {out}"),
			Anyhow: []string{"Input split bytes"}},
		{Name: "randomwriter", Random: true,
			Args: words("randomwriter -Dmapreduce.randomwriter.totalbytes=7000 " +
				"-Dmapreduce.randomwriter.bytespermap=7000 {out}")},
		{Name: "randomtextwriter", Random: true,
			Args: words("randomtextwriter -Dmapreduce.randomtextwriter.totalbytes=7000 " +
				"-Dmapreduce.randomtextwriter.bytespermap=7000 {out}")},
		{Name: "randomtextwriter/sequence", Random: true,
			Args: words("randomtextwriter -Dmapreduce.randomtextwriter.totalbytes=7000 " +
				"-Dmapreduce.randomtextwriter.bytespermap=7000 -outFormat " + outputPackage + "SequenceFileOutputFormat {out}")},
		{Name: "sudoku", In: file(sudoku),
			Args: words("sudoku {in}/a"), NoOutput: true, Printed: `(?m)^[0-9 ]+$`},
		{Name: "multifilewc", In: spread(5, prose(40)), Args: words("multifilewc {in} {out}"), Anyhow: uncounted},
		{Name: "join", In: sortedPairs, Loose: true,
			Args: slices.Concat(words("join -r 2"), textSort[:6], words("-joinOp inner {in}/a {in}/b {out}")), Anyhow: tagged},
		{Name: "join/outer", In: sortedPairs, Loose: true,
			Args: slices.Concat(words("join -r 1"), textSort[:6], words("-joinOp outer {in}/a {in}/b {out}")), Anyhow: tagged},
		{Name: "join/override", In: sortedPairs, Loose: true,
			Args: slices.Concat(words("join -r 1"), textSort, words("-joinOp override {in}/a {in}/b {out}")), Anyhow: tagged},
		{Name: "sort/total-order", In: spread(3, table(60, 2, "\t")), Loose: true,
			Set:  set("mapreduce.totalorderpartitioner.path={in}/_sortPartitioning"),
			Args: sorts(3, words("-totalOrder 1 1000 10")...)},
	}
}

// failCases returns cases that fail or are rejected on both sides.
func failCases() []Case {
	return []Case{
		{Name: "fails/no-input", Args: words("wordcount {dir}/missing {out}"), Fails: true},
		{Name: "fails/glob-matches-nothing", In: spread(1, prose(1)), Args: words("wordcount {in}/x* {out}"), Fails: true},
		{Name: "fails/output-exists", In: spread(1, prose(1)), Args: words("wordcount {in} {in}"), Fails: true},
		{Name: "fails/folder-in-input", In: folders(prose(5)), Args: words("wordcount {in} {out}"), Fails: true},
		{Name: "fails/no-numbers", In: file("x y\n"), Args: words("secondarysort {in} {out}"), Fails: true},
	}
}

func cases() []Case {
	return slices.Concat(textCases(), settingCases(), appCases(), failCases(), formatCases(), keyCases(), aggregateCases(),
		libraryCases(), authoredCases(), teraCases(), streamingCases())
}
