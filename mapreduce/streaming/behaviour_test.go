package streaming_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// These tests cover behavior that Hadoop Streaming's test suite checks or its manual documents.

func TestMapAndReduceByCommands(t *testing.T) {
	newStream(t, "roses.are.red\nviolets.are.blue\nbunnies.are.pink\n").
		run("-mapper", `tr . \n`, "-reducer", "uniq").
		gives("are\t\nblue\t\nbunnies\t\npink\t\nred\t\nroses\t\nviolets\t\n")
}

func TestFilesAreNamedAsByHadoopsOldClasses(t *testing.T) {
	s := newStream(t, "a\nb\nc\nd\n").run("-mapper", "cat", "-reducer", "cat", "-numReduceTasks", "2")
	require.NoError(t, s.err)
	require.Len(t, s.parts, 2)
	require.Contains(t, s.parts, "part-00000")
	require.Contains(t, s.parts, "part-00001")
}

func TestReducersSeeEveryLineSortedByKey(t *testing.T) {
	newStream(t, "b\t1\na\t2\nb\t0\na\t1\n").run("-mapper", "cat", "-reducer", "cat -n").
		gives("     1\ta\t2\n     2\ta\t1\n     3\tb\t1\n     4\tb\t0\n")
}

func TestLinesWithoutSeparatorAreKeys(t *testing.T) {
	newStream(t, "k1\nk2\tv\nk3\t\n\t\n\nk4\ta\tb\n").run("-mapper", "cat", "-reducer", "cat").
		gives("\t\n\t\nk1\t\nk2\tv\nk3\t\nk4\ta\tb\n")
}

func TestSeparatorsOfCommands(t *testing.T) {
	s := newStream(t, "3.1.x.y\n1.2.z\n1.1\n1\n").
		with("stream.map.output.field.separator", ".").with("stream.num.map.output.key.fields", "2").
		with("stream.reduce.output.field.separator", "=").with("stream.num.reduce.output.key.fields", "1")
	s.run("-mapper", "cat", "-reducer", `sed s/\t/=/`).gives("1\t\n1.1\t\n1.2\tz\n3.1\tx.y\n")
	s.with("stream.map.input.field.separator", ":").with("stream.reduce.input.field.separator", "|").
		with("mapreduce.job.inputformat.class", "KeyValueTextInputFormat").with("stream.map.output.field.separator",
		":").with("stream.num.map.output.key.fields", "1")
	s.file("in", "a\t1\nb\t2\n")
	s.run("-mapper", "cat", "-reducer", "cat").gives("a|1\t\nb|2\t\n")
}

func TestManualsSpellingOfKeyFields(t *testing.T) {
	newStream(t, "x\ty\tz\n").with("stream.num.reduce.output.fields",
		"2").with("mapreduce.output.textoutputformat.separator", "#").
		run("-mapper", "cat", "-reducer", "cat").gives("x\ty#z\n")
}

func TestLongSeparatorsAndValues(t *testing.T) {
	long := strings.Repeat("v", 70_000)
	newStream(t, "k<->"+long+"<->\n"+strings.Repeat("k", 200)+"<->w\n").with("stream.map.output.field.separator", "<->").
		run("-mapper", "cat", "-reducer", "NONE").gives("k\t" + long + "<->\n" + strings.Repeat("k", 200) + "\tw\n")
}

func TestLinesEndAsHadoopsDo(t *testing.T) {
	newStream(t, "x\n").run("-mapper", `printf a\r\nb\rc\n\r\rd\te`, "-reducer", "NONE").
		gives("a\t\nb\t\nc\t\n\t\n\t\nd\te\n")
}

func TestReduceNone(t *testing.T) {
	for _, args := range [][]string{{"-reducer", "NONE"}, {"-numReduceTasks", "0"},
		{"-numReduceTasks", "0", "-reducer", "false"}} {
		s := newStream(t, "roses.are.red\nviolets.are.blue\n").run(append([]string{"-mapper", `tr . \n`}, args...)...)
		s.gives("roses\t\nare\t\nred\t\nviolets\t\nare\t\nblue\t\n")
	}
}

func TestExitStatus(t *testing.T) {
	const code = "subprocess failed with code 3"
	newStream(t, "x\n").run("-mapper", "sh -c 'exit 3'", "-reducer", "NONE").fails(code)
	newStream(t, "x\n").run("-mapper", "sh -c 'cat; exit 3'", "-reducer", "cat").fails(code +
		"; see the messages of the command above; use -D stream.non.zero.exit.is.failure=false")
	newStream(t, "x\n").run("-mapper", "cat | sort", "-reducer", "NONE").fails("howdah runs no shell; use sh -c '...'")
	newStream(t, "x\n").run("-mapper", "cat", "-reducer", "sh -c 'cat; exit 3'").fails(code)
	newStream(t, "x\n").with("stream.non.zero.exit.is.failure", "false").run("-mapper", "sh -c 'cat; exit 3'", "-reducer",
		"sh -c 'cat; exit 4'").gives("x\t\n")
	newStream(t, "x\n").run("-mapper", "sh -c 'kill -9 $$'", "-reducer", "NONE").fails("subprocess failed with code 137")
}

// A script without an interpreter is named once.
func TestScriptWithoutInterpreter(t *testing.T) {
	s := newStream(t, "x\n")
	script := s.file("map.py", "print(1)\n")
	require.NoError(t, os.Chmod(script, 0o755))
	s.run("-mapper", script, "-reducer", "NONE").fails("start " + script + ": exec format error; start a script with #!")
}

func TestACommandThatDiesEarlyIsNotFedToTheEnd(t *testing.T) {
	newStream(t, strings.Repeat("some line\n", 400_000)).run("-mapper", "sh -c 'read x; exit 7'", "-reducer",
		"NONE").fails("failed with code 7")
}

func TestUnconsumedInput(t *testing.T) {
	s := newStream(t, strings.Repeat("some line\n", 400_000))
	s.run("-mapper", "head -n 2", "-reducer", "NONE").fails("Broken pipe")
	s.run("-mapper", "cat", "-reducer", "head -n 1").fails("Broken pipe")
	newStream(t, "x\n").run("-mapper", "true", "-reducer", "NONE").gives("") // the input fits into the pipe
	s.with("stream.minRecWrittenToEnableSkip_", "0").run("-mapper", "head -n 2", "-reducer", "NONE")
	s.gives("some line\t\nsome line\t\n")
	require.EqualValues(t, 400_000, s.counters.Builtin[job.MapInputRecords], "all of it was read all the same")
	s.run("-mapper", "cat", "-reducer", "head -n 1").gives("some line\t\n")
	s.with("stream.minRecWrittenToEnableSkip_", "3").run("-mapper", "head -n 2", "-reducer", "NONE").fails("Broken pipe")

	s = newStream(t, "a\nb\n"+strings.Repeat(strings.Repeat("x", 3<<20)+"\n", 3))
	s.run("-mapper", "head -n 2", "-reducer", "NONE").fails("Broken pipe")
	s.with("stream.minRecWrittenToEnableSkip_", "0").run("-mapper", "head -n 2", "-reducer", "NONE")
	s.gives("a\t\nb\t\n")
	require.EqualValues(t, 5, s.counters.Builtin[job.MapInputRecords])
}

// Commands start even if they get no input. What a mapper then writes belongs to the job's output.
// What a reducer writes is discarded, as in Hadoop.
func TestCommandsWithoutInputStart(t *testing.T) {
	newStream(t, "x\n").run("-mapper", "true", "-reducer", `sh -c 'echo reporter:counter:g,started,1 >&2; seq 1 100000'`,
		"-numReduceTasks", "2").
		gives("").counts("g", "started", 2)
	newStream(t, "").run("-mapper", "echo from nothing", "-reducer", "NONE").gives("from nothing\t\n")
}

func TestCounters(t *testing.T) {
	newStream(t, "a\nb\n").run("-mapper",
		`awk '{print "reporter:counter:UserCounters,InputLines,1" > "/dev/stderr"; print}'`, "-reducer", "cat").
		gives("a\t\nb\t\n").counts("UserCounters", "InputLines", 2)
	newStream(t, "a\n").with("stream.stderr.reporter.prefix", "me>").
		run("-mapper", `sh -c 'echo "me>counter:g,n,5" >&2; echo "me>counter:g,n,-2" >&2; cat'`, "-reducer",
			"NONE").counts("g", "n", 3)
}

// Reporter lines end as in Hadoop's LineReader, and trailing empty fields do not count.
func TestOddReporterLines(t *testing.T) {
	s := newStream(t, "a\n").run("-mapper",
		`sh -c 'cat; printf "reporter:counter:g,cr,1\rreporter:counter:g,cr,2\r\nreporter:counter:g,commas,5,,,\n 10%%\r `+
			`20%%\rreporter:counter:g,end,4" >&2'`, "-reducer", "NONE")
	s.gives("a\t\n").counts("g", "cr", 3).counts("g", "commas", 5).counts("g", "end", 4)
}

func TestTooManyCountersFailTheTask(t *testing.T) {
	s := newStream(t, "a\n").with("mapreduce.job.counters.max", "3")
	s.run("-mapper", `sh -c 'for i in 1 2 3 4; do echo reporter:counter:g,n$i,1 >&2; done; cat; exec sleep 1000'`,
		"-reducer", "NONE").fails("Too many counters: 4 max=3")
}

// An empty separator is the same as an unset one, because Hadoop does not pass empty settings to
// its tasks.
func TestEmptySeparatorsAreTabs(t *testing.T) {
	s := newStream(t, "a b\tc\n")
	for _, key := range []string{"stream.map.output.field.separator", "stream.reduce.input.field.separator",
		"stream.reduce.output.field.separator",
		"mapreduce.output.textoutputformat.separator", "stream.stderr.reporter.prefix"} {
		s.with(key, "")
	}
	s.run("-mapper", "sh -c 'cat; echo reporter:counter:g,n,1 >&2'", "-reducer",
		"cat").gives("a b\tc\n").counts("g", "n", 1)
}

func TestReporterLinesThatMeanNothing(t *testing.T) {
	s := newStream(t, "a\n").run("-mapper",
		`sh -c 'echo reporter:counter:g,n >&2; echo reporter:counter:g,n,x >&2; echo reporter:other >&2; echo `+
			`reporter:counter:g,n,1 >&2; cat'`, "-reducer", "NONE")
	s.gives("a\t\n").counts("g", "n", 1)
}

func TestMuchOnStandardErrorDoesNotBlock(t *testing.T) {
	s := newStream(t, "a\n")
	log, err := os.Create(filepath.Join(s.dir, "stderr"))
	require.NoError(t, err)
	defer log.Close()
	defer func(before *os.File) { os.Stderr = before }(os.Stderr)
	os.Stderr = log
	s.run("-mapper", `sh -c 'head -c 3000000 /dev/zero >&2; echo >&2; echo reporter:counter:g,n,1 >&2; seq 1 100000 >&2;`+
		` cat'`, "-reducer", "NONE").gives("a\t\n").counts("g", "n", 1)
	b, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	require.Equal(t, 3_000_001, bytes.Index(b, []byte("1\n2\n")), "all of it is in the log, without the counter")
	require.True(t, bytes.HasSuffix(b, []byte("\n100000\n")))
}

func TestEnvironment(t *testing.T) {
	s := newStream(t, "x\n").with("my.own-key", "v1").with("mapreduce.job.name", "a job")
	s.run("-mapper", `sh -c 'cat >/dev/null; echo $my_own_key; echo $mapred_job_name=$mapreduce_job_name; echo `+
		`$map_input_file; echo $mapreduce_map_input_start $mapreduce_task_ismap; echo $ONE/$TWO; basename $TMPDIR; test -d `+
		`$TMPDIR && test $PWD = $HADOOP_WORK_DIR && echo there; echo $mapreduce_task_attempt_id | cut -c1-8'`,
		"-reducer", "NONE", "-cmdenv", "ONE=1", "-cmdenv", "TWO=2=3")
	s.gives("v1\t\na job=a job\t\nfile:" + filepath.Join(s.dir,
		"in") + "\t\n0 true\t\n1/2=3\t\ntmp\t\nthere\t\nattempt_\t\n")
}

func TestLongSettingsInTheEnvironment(t *testing.T) {
	s := newStream(t, "x\n").with("a.long.one", strings.Repeat("x", 200_000))
	s.run("-mapper", "cat", "-reducer", "NONE").fails("stream.jobconf.truncate.limit")
	s.with("stream.jobconf.truncate.limit", "100").run("-mapper", `sh -c 'echo ${#a_long_one}'`, "-reducer",
		"NONE").gives("100\t\n")
}

func TestShippedFiles(t *testing.T) {
	s := newStream(t, "x\n")
	script := s.file("my mapper.sh", "#!/bin/sh\ncat\ncat data\n")
	require.NoError(t, os.Rename(script, filepath.Join(s.dir, "m.sh")))
	data := s.file("data", "shipped\n")
	require.NoError(t, os.Chmod(filepath.Join(s.dir, "m.sh"), 0o644))
	// Streaming makes the file executable and finds it in the working directory by its simple name.
	s.run("-file", filepath.Join(s.dir, "m.sh"), data, "-mapper", "m.sh", "-reducer", "NONE").gives("x\t\nshipped\t\n")
	s.run("-file", filepath.Join(s.dir, "m.sh"), "-file", data, "-mapper", "./m.sh", "-reducer",
		"NONE").gives("x\t\nshipped\t\n")
	s.run("-file", filepath.Join(s.dir, "m.sh"), "-file", data, "-mapper", filepath.Join(s.dir, "m.sh"), "-reducer",
		"NONE").gives("x\t\nshipped\t\n")
	s.run("-cacheFile", "file://"+data+"#other", "-mapper", "cat other", "-reducer", "NONE").gives("shipped\t\n")
	s.with("tmpfiles", data).run("-mapper", "cat data", "-reducer", "NONE").gives("shipped\t\n")
}

func TestMissingCommands(t *testing.T) {
	newStream(t, "x\n").run("-mapper", "no-such-command -x", "-reducer", "NONE").fails("no-such-command")
	s := newStream(t, "x\n")
	s.run("-mapper", s.file("text", "no program"), "-reducer", "NONE").fails("not executable")
	s.run("-mapper", s.dir, "-reducer", "NONE").fails("is a directory")
}

func TestCombiner(t *testing.T) {
	sum := `awk -F\t '{n[$1]+=$2} END {for (k in n) print k FS n[k]}'`
	s := newStream(t, strings.Repeat("b\na\nc\nb\n", 50_000)).with("mapreduce.task.io.sort.mb",
		"1").with("mapreduce.map.combine.minspills", "2")
	s.run("-mapper", `sed s/$/\t1/`, "-combiner", sum, "-reducer", sum+" ")
	require.NoError(t, s.err)
	require.ElementsMatch(t, []string{"a\t50000", "b\t100000", "c\t50000"},
		strings.Split(strings.TrimSpace(s.parts["part-00000"]), "\n"))
	in, out := s.counters.Builtin[job.CombineInputRecords], s.counters.Builtin[job.CombineOutputRecords]
	require.EqualValues(t, 200_000, in)
	require.Less(t, out, int64(100))
	require.Equal(t, out, s.counters.Builtin[job.ReduceInputRecords])
	s.run("-mapper", "cat", "-combiner", "false", "-reducer", "cat").fails("failed with code 1")
}

func TestAggregate(t *testing.T) {
	newStream(t, "b a b\n").run("-mapper", `awk '{for (i=1;i<=NF;i++) print "LongValueSum:" $i "\t" 1}'`, "-reducer",
		"aggregate").gives("a\t1\nb\t2\n")
}

func TestClassesInPlaceOfCommands(t *testing.T) {
	s := newStream(t, "b\t1\na\t2\n").with("mapreduce.job.inputformat.class",
		"org.apache.hadoop.mapred.KeyValueTextInputFormat")
	s.run("-mapper", "org.apache.hadoop.mapred.lib.IdentityMapper", "-reducer",
		"org.apache.hadoop.mapred.lib.IdentityReducer").gives("a\t2\nb\t1\n")
	s.run("-reducer", "cat").gives("a\t2\nb\t1\n")
	s.run("-mapper", "org.apache.hadoop.mapred.lib.InverseMapper", "-reducer", "cat").gives("1\tb\n2\ta\n")
}

func TestBinaryRecords(t *testing.T) {
	// cat returns its input unchanged in any format.
	for io, want := range map[string]string{
		"rawbytes":    "00 00 00 00 00 00 00 00\t03 61 09 62\n00 00 00 00 00 00 00 04\t01 63\n",
		"typedbytes":  "0\ta\tb\n4\tc\n",
		"keyonlytext": "0\n4\n",
	} {
		newStream(t, "a\tb\nc\n").run("-mapper", "cat", "-reducer", "cat", "-io", io).gives(want)
	}
	newStream(t, "a\n").run("-mapper", `printf \000\000\000\005ab`, "-reducer", "NONE", "-io",
		"rawbytes").fails("raw bytes at byte 6")
	newStream(t, "a\n").run("-mapper", `printf \003\000`, "-reducer", "NONE", "-io", "typedbytes").fails("typed bytes")
}

func TestBadRecordsAreSkipped(t *testing.T) {
	var text, want strings.Builder
	for i := range 60 {
		if i == 17 || i == 40 {
			fmt.Fprintf(&text, "%02d bad\n", i)
			continue
		}
		fmt.Fprintf(&text, "%02d\n", i)
		fmt.Fprintf(&want, "%02d\t\n", i)
	}
	s := newStream(t, text.String()).with("mapreduce.map.skip.maxrecords", "1").with("mapreduce.map.maxattempts", "30")
	s.run("-reducer", "NONE", "-mapper",
		`awk '/bad/ {exit 1} {print; fflush(); print "reporter:counter:SkippingTaskCounters,MapProcessedRecords,1" > "/dev/`+
			`stderr"; fflush("/dev/stderr")}'`)
	s.gives(want.String())
	require.EqualValues(t, 2, s.counters.Builtin[job.MapSkippedRecords])
}
