package streaming

import (
	"bytes"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

func TestParse(t *testing.T) {
	o, err := Parse([]string{"-input", "a", "b*", "--input", "c", "-output", "o", "-mapper", "cat -n", "-mapper", "other",
		"-cmdenv", "A=1", "-cmdenv", "B=2",
		"-file", "f", "g", "-lazyOutput", "-background", "-verbose", "-debug", "-io", "rawbytes", "-numReduceTasks", "-1"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b*", "c"}, o.Input)
	require.Equal(t, "cat -n", o.Mapper, "the first counts")
	require.Equal(t, []string{"A=1", "B=2"}, o.CmdEnv)
	require.Equal(t, []string{"f", "g"}, o.File)
	require.True(t, o.LazyOutput && o.Background && o.Verbose && o.Debug)
	for _, args := range [][]string{
		{}, {"-input", "a"}, {"-output", "o"}, {"-input", "a", "-output", "o", "word"},
		{"-input", "a", "-output", "o", "-nonesuch", "x"},
		{"-input", "a", "-output", "o", "-mapper"}, {"-input", "a", "-output", "o", "-mapper", "a", "b"},
		{"-input", "-output", "o"},
		{"-input", "a", "-output", "o", "-jobconf", "novalue"},
		{"-input", "a", "-output", "o", "-cacheFile", "hdfs://h/nolink"},
	} {
		_, err := Parse(args)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", args, err)
	}
	for _, flag := range []string{"-help", "-info"} {
		_, err := Parse([]string{flag})
		require.NoError(t, err)
	}
}

// configured returns the configuration that results from the given options.
func configured(t *testing.T, args ...string) *conf.Config {
	t.Helper()
	o, err := Parse(append([]string{"-input", "in", "-output", "out"}, args...))
	require.NoError(t, err)
	c := conf.New()
	require.NoError(t, o.Configure(c, new(bytes.Buffer)))
	return c
}

func TestConfigure(t *testing.T) {
	c := configured(t, "-mapper", "a b", "-reducer", "r c", "-combiner", "x", "-io", "typedbytes", "-jobconf", "k=v=w",
		"-cmdenv", "A=1", "-partitioner", "HashPartitioner",
		"-inputformat", "org.apache.hadoop.mapred.KeyValueTextInputFormat", "-outputformat", "NullOutputFormat", "-debug",
		"-numReduceTasks", "3", "-mapdebug", "d", "-reducedebug", "e", "-inputreader",
		"StreamXmlRecordReader,begin=<a=b>,end=</a>,flag")
	command := func(key string) string {
		s, err := url.QueryUnescape(c.Get(key))
		require.NoError(t, err)
		return s
	}
	require.Equal(t, "a b", command("stream.map.streamprocessor"))
	require.Equal(t, "r c", command("stream.reduce.streamprocessor"))
	require.Equal(t, "x", command("stream.combine.streamprocessor"))
	for key, want := range map[string]string{
		"stream.map.output": "typedbytes", "stream.reduce.input": "typedbytes", "k": "v=w",
		"stream.addenvironment":        "HADOOP_ROOT_LOGGER= A=1",
		conf.JobPartitionerClass.Name:  "HashPartitioner",
		conf.JobInputFormatClass.Name:  "org.apache.hadoop.mapred.KeyValueTextInputFormat",
		conf.JobOutputFormatClass.Name: "NullOutputFormat", conf.JobReduces.Name: "3",
		"mapreduce.task.files.preserve.failedtasks": "true",
		"mapreduce.map.debug.script":                "d", "mapreduce.reduce.debug.script": "e",
		"stream.recordreader.class": "StreamXmlRecordReader",
		"stream.recordreader.begin": "<a=b>", "stream.recordreader.end": "</a>",
		"mapreduce.output.fileoutputformat.outputdir": "out",
	} {
		require.Equal(t, want, c.Get(key), key)
	}
	require.Equal(t, []string{"in"}, mapreduce.InputPaths(c))
}

func TestConfigureWithoutReducers(t *testing.T) {
	c := configured(t, "-mapper", "a", "-combiner", "b", "-reducer", "NONE", "-numReduceTasks", "3")
	require.Equal(t, "0", c.Get(conf.JobReduces.Name))
	require.Empty(t, c.Get("stream.combine.streamprocessor"))
	require.Empty(t, c.Get("stream.reduce.streamprocessor"))
}

func TestConfigureRefuses(t *testing.T) {
	for _, args := range [][]string{{"-numReduceTasks", "many"}, {"-numReduceTasks", "-2"}, {"-file", "/no/such/file"},
		{"-inputreader", "C,=v"},
		{"-inputformat", "NoSuchFormat"}, {"-outputformat", "com.example.Format"}, {"-partitioner", "P"}} {
		o, err := Parse(append([]string{"-input", "in", "-output", "out"}, args...))
		require.NoError(t, err)
		require.True(t, failure.Is(o.Configure(conf.New(), new(bytes.Buffer)), failure.Usage), "%q", args)
	}
}

func TestDeprecatedOptionsAreTold(t *testing.T) {
	o, err := Parse([]string{"-input", "in", "-output", "out", "-jobconf", "a=b", "-dfs", "file:///"})
	require.NoError(t, err)
	var told bytes.Buffer
	require.NoError(t, o.Configure(conf.New(), &told))
	require.Equal(t, "warning: -dfs option is deprecated, please use -fs instead.\nwarning: -jobconf option is "+
		"deprecated, please use -D instead.\n", told.String())
}

func TestShape(t *testing.T) {
	for _, x := range []struct {
		args                []string
		mapKey, key, refuse string
	}{
		{args: []string{"-mapper", "cat", "-reducer", "cat"}, mapKey: "Text", key: "Text"},
		{args: []string{"-mapper", "cat", "-reducer", "cat", "-io", "rawbytes"}, mapKey: "BytesWritable",
			key: "BytesWritable"},
		{args: []string{"-mapper", "cat", "-reducer", "cat", "-io", "TypedBytes"}, mapKey: "TypedBytesWritable",
			key: "TypedBytesWritable"},
		{args: []string{"-mapper", "IdentityMapper", "-reducer", "cat"}, mapKey: "LongWritable", key: "Text"},
		{args: []string{"-mapper", "cat", "-combiner", "cat", "-jobconf", "stream.map.output=rawbytes"},
			refuse: "the combiner"},
		{args: []string{"-jobconf", "mapred.mapper.class=com.example.M"}, refuse: "does not run Java classes"},
		{args: []string{"-jobconf", "mapred.reducer.class=com.example.R"}, refuse: "does not run Java classes"},
		{args: []string{"-jobconf", "stream.num.map.output.key.fields=x", "-mapper", "cat"},
			refuse: "stream.num.map.output.key.fields"},
		{args: []string{"-jobconf", "stream.map.streamprocessor=%zz"}, refuse: "stream.map.streamprocessor"},
	} {
		c := configured(t, x.args...)
		j, err := Job().Shaped(c)
		if x.refuse != "" {
			require.ErrorContains(t, err, x.refuse)
			require.True(t, failure.Is(err, failure.Config), "%v", err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, JobName, j.Name)
		mapKey, _ := j.MapOutputTypes(c)
		key, _ := j.OutputTypes(c)
		require.Equal(t, x.mapKey, simpleName(mapKey.Class()))
		require.Equal(t, x.key, simpleName(key.Class()))
		require.NoError(t, j.Validate(c))
	}
}
