//go:build integration

package hadoopdiff

import (
	"fmt"
	"slices"
)

// streamingCases returns cases for the options and settings of Streaming.
func streamingCases() []Case {
	const (
		old     = "org.apache.hadoop.mapred."
		fields  = "org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner"
		compare = "mapreduce.job.output.key.comparator.class=org.apache.hadoop.mapred.lib.KeyFieldBasedComparator"
	)
	tabs, text, dots := spread(3, table(60, 3, "\t")), spread(3, prose(60)), spread(3, table(60, 4, "."))
	in := words("-input {in} -output {out}")
	job := func(name string, in Input, set []string, args ...[]string) Case {
		return Case{Name: "streaming/" + name, Class: streaming, In: in, Set: set, Args: slices.Concat(args...), Loose: true}
	}
	loneAwk := []string{"-mapper", `awk '{for (i = 1; i <= NF; i++) print $i "\t1"}'`}
	sum := `awk -F '\t' '$1 != k {if (NR > 1) print k "\t" n; k = $1; n = 0} {n += $2} END {if (NR) print k "\t" n}'`
	out := []Case{
		job("cat", tabs, nil, in, words("-mapper cat -reducer cat")),
		job("no-reducer-option", tabs, nil, in, words("-mapper cat")),
		job("identity-classes", tabs, nil, in,
			words("-mapper "+old+"lib.IdentityMapper -reducer "+old+"lib.IdentityReducer")),
		job("reducer-none", tabs, nil, in, words("-mapper cat -reducer NONE")),
		job("numReduceTasks-0", tabs, nil, in, words("-mapper cat -numReduceTasks 0")),
		job("numReduceTasks-3", tabs, nil, in, words("-mapper cat -reducer cat -numReduceTasks 3")),
		job("two-inputs", tabs, nil, words("-input {in}/f0000 -input {in}/f0002 -output {out} -mapper cat -reducer cat")),
		job("glob", tabs, nil, words("-input {in}/f000[01] -output {out} -mapper cat -reducer cat")),
		job("wordcount", text, nil, in, loneAwk, words("-reducer"), []string{sum}),
		job("combiner", text, nil, in, loneAwk, words("-combiner"), []string{sum}, words("-reducer"), []string{sum}),
		job("wc", text, nil, in, words("-mapper cat -reducer wc")),
		job("quotes", text, nil, in, []string{"-mapper", `sed 's/w1 */"x y"/'`, "-reducer", `grep -c "x y"`}),
		job("empty-lines", spread(2, prose(40, "\n", "\n\n", "\r\n")), nil, in, words("-mapper cat -reducer cat")),
		job("noise", spread(2, noise(3000)), nil, in, words("-mapper cat -reducer cat")),
		job("long-lines", spread(1, longLines), nil, in, words("-mapper cat -reducer cat")),
		job("no-input", files(map[string]string{"a": ""}), nil, in, words("-mapper cat -reducer"),
			[]string{`awk 'END {print "end\t" NR}'`}),
		job("unread-input", text, nil, in, []string{"-mapper", "head -n 1", "-reducer", "head -n 2"}),
		job("file", text, nil, in, words("-mapper map.sh -reducer cat -file {dir}/map.sh")),
		job("files", text, nil, words("-files {dir}/map.sh"), in, []string{"-mapper", "sh map.sh", "-reducer", "cat"}),
		job("archives", packedBeside(text), nil, words("-archives {dir}/words.tgz#lib"), in,
			[]string{"-mapper", `sh -c "cat >/dev/null; cat lib/in/more"`, "-reducer", "cat"}),
		job("cmdenv", text, nil, in, []string{"-mapper", `sh -c 'cat >/dev/null; echo "$FOO	$BAR"'`, "-cmdenv", "FOO=a=b",
			"-cmdenv", "BAR=c", "-reducer", "cat"}),
		job("environment", text, nil, in, []string{"-mapper",
			`sh -c 'cat >/dev/null; echo "$mapreduce_task_ismap $mapreduce_task_partition $mapred_task_partition ` +
				`$mapreduce_job_reduces $mapreduce_map_input_start	$mapreduce_map_input_length"'`, "-reducer", "cat"}),
		job("counters", text, nil, in,
			[]string{"-mapper", `awk '{print "reporter:counter:words,lines," NF > "/dev/stderr"; print "reporter:status:line ` +
				`" NR > "/dev/stderr"; print}'`, "-reducer", "cat"}),
		job("reporter-prefix", text, set("stream.stderr.reporter.prefix=tell:"), in,
			[]string{"-mapper", `awk '{print "tell:counter:words,lines,1" > "/dev/stderr"; print "reporter:counter:words,no,` +
				`1" > "/dev/stderr"}'`, "-reducer", "cat"}),
		job("exit-status", text, nil, in, []string{"-mapper", `sh -c 'cat; exit 3'`, "-reducer", "cat"}),
		job("exit-status-ignored", text, set("stream.non.zero.exit.is.failure=false"), in,
			[]string{"-mapper", `sh -c 'cat; exit 3'`, "-reducer", "cat"}),
		job("reducer-fails", text, nil, in, []string{"-mapper", "cat", "-reducer", "false"}),
		job("no-such-program", text, nil, in, []string{"-mapper", "no-such-program-anywhere", "-reducer", "cat"}),
		job("key-value-input", tabs, nil, words("-inputformat "+old+"KeyValueTextInputFormat"), in,
			words("-mapper cat -reducer cat")),
		job("ignore-key-false", tabs, set("stream.map.input.ignoreKey=false"), in, words("-mapper cat -reducer cat")),
		job("ignore-key-true", tabs, set("stream.map.input.ignoreKey=true"),
			words("-inputformat "+old+"KeyValueTextInputFormat"), in, words("-mapper cat -reducer cat")),
		job("nline", tabs, set("mapreduce.input.lineinputformat.linespermap=7"),
			words("-inputformat "+old+"lib.NLineInputFormat"), in, words("-mapper cat -reducer cat")),
		job("auto-input", tabs, nil, in,
			words("-inputformat org.apache.hadoop.streaming.AutoInputFormat -mapper cat -reducer cat")),
		job("side-effect-file", tabs, nil, in,
			[]string{"-mapper", `sh -c 'cat; d=${mapreduce_task_output_dir#file:}; mkdir -p $d/s; echo x > $d/s/` +
				`$mapreduce_task_partition'`, "-reducer", "cat"}),
		job("empty-separators", tabs, set("stream.map.output.field.separator=",
			"mapreduce.output.textoutputformat.separator="), in, words("-mapper cat -reducer cat")),
		job("text-output", tabs, nil, in, words("-mapper cat -reducer cat -outputformat "+old+"TextOutputFormat")),
		job("sequence-output", tabs, nil, in,
			words("-mapper cat -reducer cat -outputformat "+old+"SequenceFileOutputFormat")),
		job("null-output", tabs, nil, in, words("-mapper cat -reducer cat -outputformat "+old+"lib.NullOutputFormat")),
		job("lazy-output", spread(1, prose(1)), nil, in, words("-mapper cat -reducer cat -numReduceTasks 7 -lazyOutput")),
		job("io-text", tabs, nil, in, words("-io text -mapper cat -reducer cat")),
		job("io-rawbytes", tabs, nil, in,
			words("-io rawbytes -mapper cat -reducer cat -outputformat "+old+"SequenceFileOutputFormat")),
		job("io-typedbytes", tabs, nil, in,
			words("-io typedbytes -mapper cat -reducer cat -outputformat "+old+"SequenceFileOutputFormat")),
		job("io-keyonlytext", tabs, nil, in, words("-io keyonlytext -mapper cat -reducer cat")),
		job("map-separator", dots, set("stream.map.output.field.separator=.", "stream.num.map.output.key.fields=2"), in,
			words("-mapper cat -reducer cat")),
		job("map-separator-absent", tabs, set("stream.map.output.field.separator=|", "stream.num.map.output.key.fields=2"),
			in, words("-mapper cat -reducer cat")),
		job("map-key-fields", tabs, set("stream.num.map.output.key.fields=2"), in, words("-mapper cat -reducer cat")),
		job("map-key-fields-many", tabs, set("stream.num.map.output.key.fields=9"), in, words("-mapper cat -reducer cat")),
		job("map-key-fields-0", tabs, set("stream.num.map.output.key.fields=0"), in, words("-mapper cat -reducer cat")),
		job("reduce-separator", dots, set("stream.reduce.output.field.separator=.", "stream.num.reduce.output.key.fields=2"),
			in, words("-mapper cat -reducer cat")),
		job("input-separators", tabs, set("stream.map.input.field.separator=;", "stream.reduce.input.field.separator=,"),
			words("-inputformat "+old+"KeyValueTextInputFormat"), in, words("-mapper cat -reducer cat")),
		job("map-only-separator", dots,
			set("stream.map.output.field.separator=.", "mapreduce.output.textoutputformat.separator=;"), in,
			words("-mapper cat -numReduceTasks 0")),
		job("partitioner", dots, set("stream.map.output.field.separator=.", "stream.num.map.output.key.fields=4",
			"mapreduce.map.output.key.field.separator=.", "mapreduce.partition.keypartitioner.options=-k1,2"),
			in, words("-mapper cat -reducer cat -numReduceTasks 7 -partitioner "+fields)),
		job("comparator", dots, set(compare, "stream.map.output.field.separator=.", "stream.num.map.output.key.fields=4",
			"mapreduce.map.output.key.field.separator=.", "mapreduce.partition.keycomparator.options=-k2,2nr"),
			in, words("-mapper cat -reducer cat")),
		job("mapdebug", text, nil, in, words("-mapper cat -reducer cat -mapdebug cat -reducedebug cat")),
		job("verbose", text, nil, in, words("-mapper cat -reducer cat -verbose")),
		job("jobconf", text, nil, in, words("-mapper cat -reducer cat -jobconf mapred.reduce.tasks=2")),
		job("compressed", text, compressed("GzipCodec", "RECORD"), in, words("-mapper cat -reducer cat")),
		job("output-exists", text, nil, words("-input {in} -output {in} -mapper cat")),
		job("no-input-path", text, nil, words("-input {in}/nothing -output {out} -mapper cat")),
		job("no-mapper", tabs, nil, words(
			"-inputformat "+old+"KeyValueTextInputFormat -input {in} -output {out} -reducer cat")),
		job("xml-reader", file("<a>x <rec>one\ntwo</rec> y <rec>three</rec></a><rec>four"), nil, in,
			[]string{"-inputreader", "StreamXmlRecordReader,begin=<rec>,end=</rec>", "-mapper", "cat", "-reducer", "cat"}),
	}
	for i, prefix := range []string{"LongValueSum", "LongValueMax", "LongValueMin", "StringValueMax", "StringValueMin",
		"UniqValueCount", "ValueHistogram", "DoubleValueSum"} {
		out = append(out, job(fmt.Sprintf("aggregate-%s", prefix), spread(2, numbers(80, 2)), nil, in,
			[]string{"-mapper", fmt.Sprintf(`awk '{print "%s:" $1 %% %d "\t" $2}'`, prefix, 3+i), "-reducer", "aggregate"}))
	}
	for i := range out {
		switch name := out[i].Name; name {
		case "streaming/exit-status", "streaming/reducer-fails", "streaming/no-such-program", "streaming/output-exists",
			"streaming/no-input-path":
			out[i].Fails = true
		case "streaming/comparator":
			out[i].In = spread(2, alike(50, ".")) // only identical keys compare as equal
			out[i].Anyhow = []string{"Reduce input groups"}
		case "streaming/input-separators":
			out[i].Shuffled = true // values become part of the key
		case "streaming/compressed":
			out[i].Anyhow = packedSize
		case "streaming/auto-input":
			out[i].Anyhow = []string{"Bytes Read"} // Hadoop counts these bytes twice
		case "streaming/null-output":
			out[i].NoOutput = true
		}
	}
	return out
}
