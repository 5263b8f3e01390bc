//go:build integration

package hadoopdiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// libraryCases returns cases for the applications and classes in Hadoop's library.
func libraryCases() []Case {
	sorted := files(map[string]string{
		"a/f0": "1\tx\n2\ty\n2\tyy\n5\t\n", "a/f1": "7\tz\n", "a/f2": "",
		"b/f0": "2\tp\n2\tq\n3\tw\n5\tv\n", "b/f1": "7\tr\n7\ts\n8\tt\n", "b/f2": "1\tlast\n",
		"c/f0": "0\tc0\n2\tc2\n", "c/f1": "7\tc7\n", "c/f2": "1\tlast\n2\tof all\n",
	})
	joins := func(op, value, inputs string) Case {
		return Case{Name: "join/" + op, In: sorted, Anyhow: tagged, Args: slices.Concat(
			words("join -r 0"), textSort[:6], words("-outValue "+value+" -joinOp "+op), words(inputs), words("{out}"))}
	}
	const tuple = "org.apache.hadoop.mapreduce.lib.join.TupleWritable"
	out := []Case{
		joins("inner", tuple, "{in}/a {in}/b"),
		joins("outer", tuple, "{in}/a {in}/b {in}/c"),
		joins("override", writables+"Text", "{in}/a {in}/b {in}/c"),
		{Name: "join/sequence-files", In: files(map[string]string{"a": "k1\tone\nk2\ttwo\nk2\tzwei\nk3\tthree\nk9\tlast\n"}),
			Anyhow: tagged, Before: slices.Concat(words("sort -r 2"), textSort[:2],
				words("-outFormat "+outputPackage+"SequenceFileOutputFormat"), textSort[4:], words("{in} {made}")),
			Args: words("join -r 0 -outFormat " + outputPackage + "TextOutputFormat -outKey " + writables +
				"Text {made} {made} {out}")},
		{Name: "aggregatewordcount/sequence-files", In: spread(2, prose(20)),
			Before: slices.Concat(words("sort -r 2"), textSort[:2],
				words("-outFormat "+outputPackage+"SequenceFileOutputFormat"), textSort[4:], words("{in} {made}")),
			Args: words("aggregatewordcount {made} {out} 2")},
		{Name: "pentomino", Args: words("pentomino {out} -width 20 -height 3 -depth 2"),
			Set:      set("mapreduce.pentomino.class=org.apache.hadoop.examples.dancing.Pentomino", "mapreduce.job.maps=3"),
			Shuffled: true},
		{Name: "join/unequal", In: files(map[string]string{"a/x": "1\t2\n", "b/x": "1\t2\n", "b/y": "2\t3\n"}), Fails: true,
			Args: words("join -inFormat " + inputPackage + "KeyValueTextInputFormat {in}/a {in}/b {out}")},
		{Name: "multifilewc", In: spread(30, prose(5, "\n", "\r\n")), Args: words("multifilewc {in} {out}"),
			Anyhow: uncounted},
		{Name: "multifilewc/one-file", In: spread(1, prose(5)), Args: words("multifilewc {in} {out}"), Anyhow: uncounted},
		{Name: "multifilewc/split-1000", In: spread(30, prose(5)), Args: words("multifilewc {in} {out}"), Anyhow: uncounted,
			Set: set("mapreduce.input.fileinputformat.split.maxsize=1000")},
		{Name: "aggregatewordcount/one-reducer", In: spread(3, noise(2000)),
			Args: words("aggregatewordcount {in} {out} 1 textinputformat")},
		{Name: "wordmean", In: spread(3, prose(30, "\n", "\r\n")), Args: words("wordmean {in} {out}"), Printed: "The .*"},
		{Name: "wordmean/no-words", In: file("\n \n"), Args: words("wordmean {in} {out}"), Printed: "The .*"},
		{Name: "wordmedian", In: spread(3, noise(2000)), Args: words("wordmedian {in} {out}"), Printed: "The .*"},
		{Name: "wordstandarddeviation", In: spread(3, noise(2000)), Args: words("wordstandarddeviation {in} {out}"),
			Printed: "The .*"},
		{Name: "bbp", Args: words("bbp 1 120 3 {out}"), Anyhow: []string{"Input split bytes"},
			Printed: "(?s)\nStart Digit.*Starting Job"},
		{Name: "bbp/from-1001", Args: words("bbp 1001 12 2 {out}"),
			Anyhow: []string{"Input split bytes", "Reduce input groups"}, Printed: "(?s)\nStart Digit.*Starting Job"},
		{Name: "aggregatewordhist/no-words", In: file("\n \n\t\t\n"),
			Args: words("aggregatewordhist {in} {out} 1 textinputformat")},
	}
	for i, puzzle := range []string{
		"8 5 ? 3 9 ? ? ? ?\n? ? 2 ? ? ? ? ? ?\n? ? 6 ? 1 ? ? ? 2\n? ? 4 ? ? 3 ? 5 9\n? ? 8 9 ? 1 4 ? ?\n3 2 ? 4 ? ? 8 ? " +
			"?\n9 ? ? ? 8 ? 5 ? ?\n? ? ? ? ? ? 2 ? ?\n? ? ? ? 4 5 ? 7 8\n",
		"? ? ? 4 ? ?\n? ? ? ? 5 6\n? ? ? ? ? ?\n? ? ? ? ? ?\n3 ? 2 ? ? ?\n6 ? ? 1 ? ?\n",
	} {
		out = append(out, Case{Name: fmt.Sprintf("sudoku/%d", i), In: file(puzzle), Args: words("sudoku {in}/a"),
			NoOutput: true, Printed: `(?s)\n.*solutions`})
	}
	for i, spec := range []string{"0,2:1", "1-2:0-", ":0-", "2,1,0:5"} {
		out = append(out, Case{Name: fmt.Sprintf("field-selection/%d", i), Class: streaming,
			In: spread(2, table(40, 4, "\t")), Loose: true,
			Set: set("mapreduce.fieldsel.map.output.key.value.fields.spec="+spec,
				"mapreduce.fieldsel.reduce.output.key.value.fields.spec=1,0:0-1",
				"mapreduce.map.output.key.class="+writables+"Text", "mapreduce.job.output.key.class="+writables+"Text",
				"mapreduce.job.output.value.class="+writables+"Text"),
			Args: words("-input {in} -output {out} -mapper org.apache.hadoop.mapred.lib.FieldSelectionMapReduce -reducer " +
				"org.apache.hadoop.mapred.lib.FieldSelectionMapReduce")})
	}
	for _, kind := range []string{"LongValueSum", "LongValueMax", "LongValueMin", "DoubleValueSum", "StringValueMax",
		"StringValueMin", "UniqValueCount", "ValueHistogram"} {
		out = append(out, Case{Name: "aggregate/" + kind, Class: streaming, In: spread(3, counts(60)),
			Args: slices.Concat(words("-input {in} -output {out} -reducer aggregate -mapper"),
				[]string{"sed 's/^/" + kind + ":/'"})})
	}
	return out
}

// counts generates lines with a key, a tab, and an integer.
func counts(lines int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			fmt.Fprintf(&b, "k%d\t%d\n", r.IntN(7), r.IntN(40)-20)
		}
		return b.String()
	}
}
