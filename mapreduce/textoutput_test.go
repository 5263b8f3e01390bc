package mapreduce

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

type closable struct{ *bytes.Buffer }

func (closable) Close() error { return nil }

// write writes records and returns the file's name, the file's content, and the number of counted
// bytes.
func write(t *testing.T, env *Env, typ job.TaskType, kt, vt Type, records ...[]byte) (name string, b []byte,
	counted int64) {
	t.Helper()
	out := &bytes.Buffer{}
	c := NewContext(context.Background(), *env, TaskInfo{
		Attempt:      job.AttemptID{TaskID: job.TaskID{Type: typ, Index: 12}},
		CreateOutput: func(n string) (io.WriteCloser, error) { name = n; return closable{out}, nil },
	})
	w, err := TextOutput{}.Open(c, kt, vt)
	require.NoError(t, err)
	for i := 0; i < len(records); i += 2 {
		require.NoError(t, w.Write(records[i], records[i+1]))
	}
	require.NoError(t, w.Close())
	return name, out.Bytes(), c.Counters().Builtin[job.OutputBytesWritten]
}

func TestTextOutput(t *testing.T) {
	a, one := appendText(nil, "ä"), appendInt(nil, 1)
	env := testEnv(t, nil)
	name, b, n := write(t, env, job.Reduce, TextWritable, IntWritable, a, one, a, one)
	require.Equal(t, "part-r-00012", name)
	require.Equal(t, "ä\t1\nä\t1\n", string(b))
	require.EqualValues(t, len(b), n)

	env = testEnv(t, nil, conf.OutputTextOutputFormatSeparator.Name, " -> ", conf.OutputBaseName.Name, "out")
	name, b, _ = write(t, env, job.Map, TextWritable, IntWritable, a, one)
	require.Equal(t, "out-m-00012", name)
	require.Equal(t, "ä -> 1\n", string(b))

	_, b, _ = write(t, env, job.Map, NullWritable, IntWritable, nil, one)
	require.Equal(t, "1\n", string(b))
	_, b, _ = write(t, env, job.Map, TextWritable, NullWritable, a, nil)
	require.Equal(t, "ä\n", string(b))
	_, b, _ = write(t, env, job.Map, NullWritable, NullWritable, nil, nil)
	require.Empty(t, b)
}

func TestBadSettingsAreFoundBeforeTheJobStarts(t *testing.T) {
	for _, bad := range [][]string{{conf.OutputFileOutputFormatCompress.Name, "maybe"},
		{conf.OutputFileOutputFormatCompress.Name, "true", conf.OutputFileOutputFormatCompressCodec.Name, "NoSuch"}} {
		env := testEnv(t, nil, append(bad, conf.OutputFileOutputFormatOutputDir.Name, "/out")...)
		require.ErrorIs(t, TextOutput{}.Check(context.Background(), env), failure.Config.Target(), "%v", bad)
	}
	env := testEnv(t, nil, conf.InputLineRecordReaderLineMaxLength.Name, "-1")
	for _, in := range []InputFormat{TextInput{}, KeyValueTextInput{}, CombineTextInput{}} {
		_, err := in.Splits(context.Background(), env)
		require.ErrorContains(t, err, conf.InputLineRecordReaderLineMaxLength.Name)
	}
}

func TestHugeRecordsAreNotGathered(t *testing.T) {
	big := strings.Repeat("x", hugeRecord)
	text, one := appendText(nil, big), appendInt(nil, 1)
	env := testEnv(t, nil)
	_, b, n := write(t, env, job.Reduce, TextWritable, IntWritable, text, one)
	require.Equal(t, big+"\t1\n", string(b))
	require.EqualValues(t, len(b), n)
	_, b, _ = write(t, env, job.Reduce, IntWritable, TextWritable, one, text)
	require.Equal(t, "1\t"+big+"\n", string(b))
	_, b, _ = write(t, env, job.Reduce, NullWritable, TextWritable, nil, text)
	require.Equal(t, big+"\n", string(b))
	_, b, _ = write(t, env, job.Reduce, TextWritable, NullWritable, text, nil)
	require.Equal(t, big+"\n", string(b))
}

func TestCompressedOutput(t *testing.T) {
	env := testEnv(t, nil, conf.OutputFileOutputFormatCompress.Name, "true", conf.OutputFileOutputFormatCompressCodec.Name,
		"org.apache.hadoop.io.compress.GzipCodec")
	name, b, n := write(t, env, job.Reduce, TextWritable, IntWritable, appendText(nil, "a"), appendInt(nil, 1))
	require.Equal(t, "part-r-00012.gz", name)
	require.EqualValues(t, len(b), n)
	r, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "a\t1\n", string(text))

	name, _, _ = write(t, testEnv(t, nil, conf.OutputFileOutputFormatCompress.Name, "true"), job.Reduce, TextWritable,
		IntWritable)
	require.Equal(t, "part-r-00012.deflate", name)
	_, err = TextOutput{}.Open(testContext(testEnv(t, nil, conf.OutputFileOutputFormatCompress.Name, "true",
		conf.OutputFileOutputFormatCompressCodec.Name, "none.such")),
		TextWritable, TextWritable)
	require.True(t, failure.Is(err, failure.Config))
}

func TestOutputDirectoryIsChecked(t *testing.T) {
	env := testEnv(t, map[string]string{"/out/x": ""})
	err := TextOutput{}.Check(context.Background(), env)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	SetOutputPath(env.Conf, "/out")
	err = TextOutput{}.Check(context.Background(), env)
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
	require.ErrorContains(t, err, "Output directory mem:/out already exists")
	SetOutputPath(env.Conf, "/new")
	require.NoError(t, TextOutput{}.Check(context.Background(), env))
}

// compressed returns text compressed with the codec that the file name indicates.
func compressed(t *testing.T, name, text string) string {
	var b bytes.Buffer
	w := codec.ByPath(name).NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestCompressedInput(t *testing.T) {
	text := "one\ntwo\r\nthree"
	for _, name := range []string{"/in/a.gz", "/in/a.zst", "/in/a.deflate", "/in/a.snappy", "/in/a.lz4"} {
		packed := compressed(t, name, text)
		env := testEnv(t, map[string]string{name: packed}, conf.InputFileInputFormatInputDir.Name, "/in",
			conf.InputFileInputFormatSplitMaxSize.Name, "5")
		splits, err := TextInput{}.Splits(context.Background(), env)
		require.NoError(t, err)
		require.Len(t, splits, 1)
		keys, values, err := readAll(env, TextInput{}, splits[0])
		require.NoError(t, err)
		require.Equal(t, []string{"one", "two", "three"}, values)
		require.Equal(t, []string{"0", "4", "9"}, keys)

		for _, broken := range []string{packed[:len(packed)-3], "junk" + packed} {
			env = testEnv(t, map[string]string{name: broken}, conf.InputFileInputFormatInputDir.Name, "/in")
			_, _, err = readAll(env, TextInput{}, splits[0])
			require.True(t, failure.Is(err, failure.Corrupt), "%s: %v", name, err)
			require.ErrorContains(t, err, name)
		}
	}
}
