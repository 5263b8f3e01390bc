//go:build integration

package hadoopdiff

import (
	"fmt"
	"slices"
	"strings"
)

// codecs lists the codecs that Hadoop supports without native libraries, by class.
var codecs = []string{"DefaultCodec", "DeflateCodec", "GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec"}

const codecPackage = writables + "compress."

func compressed(codec, kind string) []string {
	return set("mapreduce.output.fileoutputformat.compress=true",
		"mapreduce.output.fileoutputformat.compress.codec="+codecPackage+codec,
		"mapreduce.output.fileoutputformat.compress.type="+kind)
}

func dashD(pairs []string) (out []string) {
	for _, p := range pairs {
		out = append(out, "-D", p)
	}
	return out
}

var (
	sequenceOut = "mapreduce.job.outputformat.class=" + outputPackage + "SequenceFileOutputFormat"
	// packedSize lists the counters that depend on the compressor. Two compressors of the same
	// format can produce different sizes.
	packedSize = []string{"Bytes Written", "Bytes Read"}
)

// formatCases returns cases that write and read files of each codec and kind. Both sides read files
// that one of them has written.
func formatCases() (out []Case) {
	name := func(codec string) string { return strings.ToLower(strings.TrimSuffix(codec, "Codec")) }
	in := spread(2, prose(80))
	sequence := words("-inFormat " + inputPackage + "SequenceFileInputFormat -outFormat " + outputPackage +
		"TextOutputFormat -outKey " + writables + "Text -outValue " + writables + "IntWritable")
	for _, codec := range codecs {
		text := compressed(codec, "RECORD")
		out = append(out,
			Case{Name: "codec/text-out/" + name(codec), In: in, Set: text, Args: words("wordcount {in} {out}"),
				Anyhow: packedSize},
			Case{Name: "codec/text-in/" + name(codec), In: in, Before: slices.Concat(words("wordcount"), dashD(text),
				words("{in} {made}")), Args: words("wordcount {made} {out}")},
			Case{Name: "codec/text-in-ours/" + name(codec), In: in, BeforeOurs: true,
				Before: slices.Concat(words("wordcount"), dashD(text), words("{in} {made}")),
				Args:   words("wordcount {made} {out}")},
			Case{Name: "codec/map-output/" + name(codec), In: in, Set: set("mapreduce.map.output.compress=true",
				"mapreduce.map.output.compress.codec="+codecPackage+codec), Args: words("wordcount {in} {out}")})
		for _, kind := range []string{"RECORD", "BLOCK"} {
			all := append(compressed(codec, kind), sequenceOut)
			at := strings.ToLower(kind) + "/" + name(codec)
			out = append(out,
				Case{Name: "sequence/out/" + at, In: in, Set: all, Args: words("wordcount {in} {out}"), Anyhow: packedSize},
				Case{Name: "sequence/in/" + at, In: in, Before: slices.Concat(words("wordcount"), dashD(all), words("{in} {made}")),
					Args: slices.Concat(words("sort -r 2"), sequence, words("{made} {out}"))},
				Case{Name: "sequence/in-ours/" + at, In: in, BeforeOurs: true, Before: slices.Concat(words("wordcount"), dashD(all),
					words("{in} {made}")), Args: slices.Concat(words("sort -r 2"), sequence, words("{made} {out}"))})
		}
	}
	plain := slices.Concat(words("wordcount"), dashD(set(sequenceOut)), words("{in} {made}"))
	out = append(out,
		Case{Name: "sequence/out/none", In: in, Set: set(sequenceOut), Args: words("wordcount {in} {out}")},
		Case{Name: "sequence/in/none", In: in, Before: plain, Args: slices.Concat(words("sort -r 2"), sequence,
			words("{made} {out}"))},
		Case{Name: "sequence/in-ours/none", In: in, BeforeOurs: true, Before: plain,
			Args: slices.Concat(words("sort -r 2"), sequence, words("{made} {out}"))},
		Case{Name: "sequence/small-splits", In: spread(1, prose(900)), Before: plain,
			Set:  set("mapreduce.input.fileinputformat.split.maxsize=700"),
			Args: slices.Concat(words("sort -r 2"), sequence, words("{made} {out}"))},
		Case{Name: "sequence/as-text", In: in, Before: plain, Loose: true,
			Args: words("sort -r 2 -inFormat " + inputPackage + "SequenceFileAsTextInputFormat -outFormat " + outputPackage +
				"TextOutputFormat -outKey " + writables + "Text -outValue " + writables + "Text {made} {out}")},
		Case{Name: "codec/concatenated-gzip", In: concatenatedGzip, Args: words("wordcount {in} {out}")},
		Case{Name: "codec/wrong-ending", In: files(map[string]string{"a.gz": "no gzip\n"}),
			Args: words("wordcount {in} {out}"), Fails: true},
	)
	for _, n := range []int{1, 7, 1000} {
		out = append(out, Case{Name: fmt.Sprintf("nline/%d", n), In: spread(3, prose(20, "\n", "\r\n")),
			Args: words("wordcount {in} {out}"),
			Set: set("mapreduce.job.inputformat.class="+inputPackage+"NLineInputFormat",
				fmt.Sprintf("mapreduce.input.lineinputformat.linespermap=%d", n))})
	}
	return out
}

// keyCases returns cases that partition, sort, and group by parts of the key.
func keyCases() (out []Case) {
	const (
		comparator = "mapreduce.job.output.key.comparator.class=" +
			"org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator"
		partitioner = "mapreduce.job.partitioner.class=org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedPartitioner"
	)
	in, all := spread(3, table(60, 4, ".")), spread(2, alike(60, "."))
	for i, k := range []string{"-k1,1", "-k2,2", "-k2n", "-k1nr", "-k2,3", "-k1.2,1.3", "-k2,2nr -k1,1", "-n", "-r", "-nr",
		"-k3", "-k1.1,1.1 -k2,2n", "-k2.1nr,2.9"} {
		s := set(comparator, "mapreduce.partition.keycomparator.options="+k, "mapreduce.map.output.key.field.separator=.")
		out = append(out, Case{Name: fmt.Sprintf("keyfield/comparator-%d", i), In: in, Shuffled: true,
			Args: sorts(2), Set: s},
			// Only identical keys compare as equal, so the order is determined.
			Case{Name: fmt.Sprintf("keyfield/comparator-%d-alike", i), In: all, Loose: true, Args: sorts(2), Set: s})
	}
	for i, k := range []string{"-k1,1", "-k2,2", "-k1,2", "-k2.1,2.1", "-k5,6", "-k1.1,1.3 -k3,3", ""} {
		s := set(partitioner, "mapreduce.map.output.key.field.separator=.")
		if k != "" {
			s = append(s, "mapreduce.partition.keypartitioner.options="+k)
		}
		out = append(out, Case{Name: fmt.Sprintf("keyfield/partitioner-%d", i), In: in, Loose: true, Args: sorts(7), Set: s})
	}
	return out
}

func aggregateCases() []Case {
	in := spread(3, prose(60))
	return []Case{
		{Name: "aggregatewordcount", In: in, Args: words("aggregatewordcount {in} {out} 2 textinputformat")},
		{Name: "aggregatewordhist", In: in, Args: words("aggregatewordhist {in} {out} 2 textinputformat")},
	}
}

// authoredCases returns cases for features that only programs can use.
func authoredCases() []Case {
	both := files(map[string]string{"p/a": "k1\tone\nk2\ttwo\nk1\tthree\n", "l/b": "k1 a line\nk3 another\nk2\n"})
	return []Case{
		{Name: "multiple-outputs", Class: twins, Authored: true, In: spread(2, prose(60)), Args: words("outputs {in} {out}")},
		{Name: "multiple-outputs/reducers-3", Class: twins, Authored: true, In: spread(2, prose(60)),
			Args: words("outputs {in} {out}"), Set: set("mapreduce.job.reduces=3")},
		{Name: "multiple-outputs/counters", Class: twins, Authored: true, In: spread(2, prose(60)),
			Args: words("outputs {in} {out}"), Set: set("mapreduce.multipleoutputs.counters=true")},
		{Name: "multiple-outputs/gzip", Class: twins, Authored: true, In: spread(2, prose(60)),
			Args: words("outputs {in} {out}"), Anyhow: packedSize, Set: compressed("GzipCodec", "BLOCK")},
		{Name: "multiple-inputs", Class: twins, Authored: true, In: both, Args: words("inputs {in}/p {in}/l {out}"),
			Anyhow: tagged},
		{Name: "chain", Class: twins, Authored: true, In: spread(2, prose(60)), Args: words("chained {in} {out}"),
			Loose: true},
		{Name: "chain/reducers-2", Class: twins, Authored: true, In: spread(2, prose(60)), Args: words("chained {in} {out}"),
			Loose: true, Set: set("mapreduce.job.reduces=2")},
	}
}

// tagged lists the counters that differ for splits that name their mapper or format. In Hadoop such
// splits are longer, and Hadoop does not count the bytes read from them.
var tagged = []string{"Input split bytes", "Bytes Read"}

// teraCases returns cases that generate, sort, and validate rows. teravalidate's output contains the
// sum of the rows' checksums.
func teraCases() (out []Case) {
	rows := words("teragen 2000 {made}")
	for _, n := range []int{1, 2, 7} {
		sorted := fmt.Sprintf("mapreduce.job.reduces=%d", n)
		out = append(out, Case{Name: fmt.Sprintf("terasort/reducers-%d", n), Before: rows, Set: set(sorted),
			Args: words("terasort {made} {out}"), Anyhow: tagged, Beside: []string{"_partition.lst"}})
	}
	return append(out,
		Case{Name: "terasort/simple", Before: rows, Set: set("mapreduce.terasort.simplepartitioner=true",
			"mapreduce.job.reduces=5"), Args: words("terasort {made} {out}"), Anyhow: tagged},
		Case{Name: "teravalidate/unsorted", Before: rows, Args: words("teravalidate {made} {out}"), Anyhow: tagged,
			Loose: true},
		Case{Name: "teravalidate/ours", BeforeOurs: true, Before: words("teragen -Dmapreduce.job.maps=1 2000 {made}"),
			Args: words("teravalidate {made} {out}"), Anyhow: tagged, Loose: true})
}
