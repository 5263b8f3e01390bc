package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/mapfile"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// sequence returns a SequenceFile with n records: the key is "key i" and the value is i.
func sequence(t testing.TB, o sequencefile.Options, n int) string {
	var b bytes.Buffer
	o.KeyClass, o.ValueClass = TextWritable.Class(), IntWritable.Class()
	w, err := sequencefile.NewWriter(&b, o)
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, w.Append(appendText(nil, fmt.Sprint("key ", i)), appendInt(nil, int32(i))))
	}
	require.NoError(t, w.Close())
	return b.String()
}

func TestSequenceFilesAreReadInSplits(t *testing.T) {
	o := sequencefile.Options{SyncInterval: 200, Compression: sequencefile.Block, BlockSize: 5000, Codec: "SnappyCodec"}
	file := sequence(t, o, 20_000)
	for class, first := range map[string]string{"SequenceFileInputFormat": "key 0=0",
		"SequenceFileAsTextInputFormat": "key 0=0", "SequenceFileAsBinaryInputFormat": "05 6b 65 79 20 30=00 00 00 00"} {
		env := testEnv(t, map[string]string{"/in/a": file, "/in/m/data": file, "/in/m/index": "not read"},
			conf.InputFileInputFormatInputDir.Name, "/in", conf.JobInputFormatClass.Name, class,
			conf.InputFileInputFormatSplitMaxSize.Name, "1", conf.InputFileInputFormatSplitMinSize.Name,
			fmt.Sprint(len(file)/3),
			conf.JobOutputKeyClass.Name, "Text", conf.JobOutputValueClass.Name, "org.apache.hadoop.io.IntWritable")
		j := &Job{Name: "j"}
		if class != "SequenceFileInputFormat" {
			j.Mapper.InKey, j.Mapper.InVal = j.InputFormat().Types(env.Conf)
		}
		key, value := j.MapOutputTypes(env.Conf)
		splits, err := j.PlanSplits(context.Background(), env)
		require.NoError(t, err)
		want := 2
		if int64(len(file)/3) > conf.IOSeqFileSyncInterval.BuiltIn() {
			want = 6
		}
		require.GreaterOrEqual(t, len(splits), want)
		seen := map[string]int{}
		for _, s := range splits {
			c := testContext(env)
			r, err := j.InputFormat().Open(c, &s)
			require.NoError(t, err)
			require.NoError(t, j.CheckRecords(env.Conf, r))
			for {
				k, v, err := r.Next()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				seen[string(value.AppendText(append(key.AppendText(nil, k), '='), v))]++
			}
			require.InDelta(t, 1, r.Progress(), 0.5)
			require.NoError(t, r.Close())
		}
		require.Len(t, seen, 20_000)
		require.Equal(t, 2, seen[first])
	}
}

func TestRecordsOfOtherTypesAreRefused(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a": sequence(t, sequencefile.Options{}, 3)},
		conf.InputFileInputFormatInputDir.Name, "/in",
		conf.JobInputFormatClass.Name, "SequenceFileInputFormat")
	j := &Job{Name: "j"}
	require.ErrorIs(t, j.Validate(env.Conf), failure.Config.Target(), "nobody says which types")
	env.Conf.Set(conf.JobOutputKeyClass.Name, "LongWritable", "test")
	env.Conf.Set(conf.JobOutputValueClass.Name, "org.example.Own", "test")
	require.NoError(t, j.Validate(env.Conf))
	splits, err := j.PlanSplits(context.Background(), env)
	require.NoError(t, err)
	r, err := j.InputFormat().Open(testContext(env), &splits[0])
	require.NoError(t, err)
	err = j.CheckRecords(env.Conf, r)
	require.ErrorIs(t, err, failure.Config.Target())
	require.ErrorContains(t, err, "expected org.apache.hadoop.io.LongWritable, received org.apache.hadoop.io.Text")
}

// written contains the output files of a task, by name.
type written map[string]*bytes.Buffer

func (w written) create(name string) (io.WriteCloser, error) {
	w[name] = &bytes.Buffer{}
	return nopWriteCloser{w[name]}, nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

func TestSequenceFilesAreWritten(t *testing.T) {
	for _, kind := range []string{"", "RECORD", "BLOCK", "NONE"} {
		for _, class := range []string{"SequenceFileOutputFormat", "SequenceFileAsBinaryOutputFormat"} {
			env := testEnv(t, nil, conf.OutputFileOutputFormatOutputDir.Name, "/out", conf.JobOutputFormatClass.Name, class,
				conf.OutputFileOutputFormatCompress.Name, fmt.Sprint(kind != ""),
				conf.OutputFileOutputFormatCompressCodec.Name, "SnappyCodec", conf.OutputFileOutputFormatCompressType.Name, kind,
				conf.OutputSeqBinaryOutputFormatKeyClass.Name, "Text", conf.OutputSeqBinaryOutputFormatValueClass.Name,
				"IntWritable")
			j := &Job{Name: "j"}
			err := j.OutputFormat().Check(context.Background(), env)
			if kind == "RECORD" && strings.Contains(class, "Binary") {
				require.ErrorIs(t, err, failure.Config.Target())
				continue
			}
			require.NoError(t, err)
			files := written{}
			c := NewContext(context.Background(), *env, TaskInfo{CreateOutput: files.create})
			key, value := appendText(nil, "k"), appendInt(nil, 7)
			kt, vt := TextWritable, IntWritable
			if strings.Contains(class, "Binary") {
				key, value, kt, vt = appendBytes(nil, key), appendBytes(nil, value), BytesWritable, BytesWritable
			}
			w, err := j.OutputFormat().Open(c, kt, vt)
			require.NoError(t, err)
			require.NoError(t, w.Write(key, value))
			require.NoError(t, w.Close())
			r, err := sequencefile.NewReader(files["part-m-00000"], sequencefile.ReadOptions{})
			require.NoError(t, err)
			require.Equal(t, TextWritable.Class()+IntWritable.Class(), r.Header().KeyClass+r.Header().ValueClass)
			require.Equal(t, kind == "BLOCK", r.Header().Compression == sequencefile.Block)
			k, v, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, "\x01k\x00\x00\x00\x07", string(k)+string(v))
		}
	}
	env := testEnv(t, nil, conf.OutputFileOutputFormatOutputDir.Name, "/out", conf.OutputFileOutputFormatCompress.Name,
		"true", conf.OutputFileOutputFormatCompressType.Name, "SOME")
	require.ErrorIs(t, SequenceOutput{}.Check(context.Background(), env), failure.Config.Target())
}

func TestMapFilesAreWritten(t *testing.T) {
	env := testEnv(t, nil, conf.OutputFileOutputFormatOutputDir.Name, "/out", conf.JobOutputFormatClass.Name,
		"MapFileOutputFormat", conf.IOMapIndexInterval.Name, "1")
	files := written{}
	c := NewContext(context.Background(), *env, TaskInfo{CreateOutput: files.create})
	w, err := (&Job{}).OutputFormat().Open(c, TextWritable, IntWritable)
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, w.Write(appendText(nil, fmt.Sprint("k", i)), appendInt(nil, int32(i))))
	}
	require.NoError(t, w.Close())
	r, err := mapfile.NewReader(bytes.NewReader(files["part-m-00000/data"].Bytes()),
		bytes.NewReader(files["part-m-00000/index"].Bytes()), sequencefile.ReadOptions{}, TextWritable.Compare)
	require.NoError(t, err)
	v, ok, err := r.Get(appendText(nil, "k2"))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, appendInt(nil, 2), v)
}

func TestADamagedSequenceFileNamesItself(t *testing.T) {
	file := sequence(t, sequencefile.Options{}, 100)
	env := testEnv(t, map[string]string{"/in/a": file[:len(file)-1]}, conf.InputFileInputFormatInputDir.Name, "/in")
	splits, err := SequenceInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	r, err := SequenceInput{}.Open(testContext(env), &splits[0])
	require.NoError(t, err)
	for err == nil {
		_, _, err = r.Next()
	}
	require.ErrorIs(t, err, failure.Corrupt.Target())
	require.ErrorContains(t, err, "mem:/in/a at byte ")
	require.False(t, errors.Is(err, io.EOF))
}
