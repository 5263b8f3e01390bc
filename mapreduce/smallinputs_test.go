package mapreduce

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// allRecords returns the values of each split.
func allRecords(t *testing.T, env *Env, f InputFormat) (bySplit [][]string) {
	splits, err := f.Splits(context.Background(), env)
	require.NoError(t, err)
	for _, s := range splits {
		r, err := f.Open(testContext(env), &s)
		require.NoError(t, err)
		_, vt := f.Types(env.Conf)
		if vt == nil {
			_, vt = r.(TypedReader).RecordTypes()
		}
		values := []string{}
		for {
			_, v, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			values = append(values, string(vt.AppendText(nil, v)))
		}
		require.NoError(t, r.Close())
		bySplit = append(bySplit, values)
	}
	return bySplit
}

func TestNLinesMakeASplit(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a": "1\n2\r\n\n4\n5", "/in/b": "6\n"}, conf.InputFileInputFormatInputDir.Name,
		"/in",
		conf.InputLineInputFormatLinesPerMap.Name, "2")
	require.Equal(t, [][]string{{"1", "2"}, {"", "4"}, {"5"}, {"6"}}, allRecords(t, env, NLineInput{}))
	env.Conf.Set(conf.InputLineInputFormatLinesPerMap.Name, "0", "test")
	_, err := NLineInput{}.Splits(context.Background(), env)
	require.ErrorIs(t, err, failure.Config.Target())
	env = testEnv(t, map[string]string{"/in/a.gz": compressed(t, "a.gz", "1\n2\n3\n")},
		conf.InputFileInputFormatInputDir.Name, "/in")
	require.Equal(t, [][]string{{"1", "2", "3"}}, allRecords(t, env, NLineInput{}))
}

func TestRecordsOfFixedLength(t *testing.T) {
	text := strings.Repeat("abc", 20)
	env := testEnv(t, map[string]string{"/in/a": text, "/in/b.gz": compressed(t, "b.gz", "xyz123")},
		conf.InputFileInputFormatInputDir.Name, "/in",
		conf.FixedLengthInputFormatRecordLength.Name, "3", conf.InputFileInputFormatSplitMaxSize.Name, "10")
	n := 0
	for _, values := range allRecords(t, env, FixedLengthInput{}) {
		for _, v := range values {
			if n++; n <= 20 {
				require.Equal(t, "61 62 63", v)
			}
		}
	}
	require.Equal(t, 22, n)

	env.Conf.Set(conf.FixedLengthInputFormatRecordLength.Name, "7", "test")
	s := Split{Chunks: []Chunk{{"mem:/in/a", 0, 60}}, Length: 60}
	_, _, err := readAll(env, FixedLengthInput{}, s)
	require.ErrorIs(t, err, failure.Corrupt.Target())
	require.ErrorContains(t, err, "at byte 56: Partial record(length = 4)")

	_, err = FixedLengthInput{}.Splits(context.Background(), testEnv(t, nil, conf.InputFileInputFormatInputDir.Name,
		"/in"))
	require.ErrorIs(t, err, failure.Config.Target())
}

func TestSmallSequenceFilesAreCombined(t *testing.T) {
	files := map[string]string{}
	for i := range 5 {
		files[fmt.Sprint("/in/", i)] = sequence(t, sequencefile.Options{}, 3)
	}
	env := testEnv(t, files, conf.InputFileInputFormatInputDir.Name, "/in")
	got := allRecords(t, env, CombineSequenceInput{})
	require.Len(t, got, 1)
	require.Len(t, got[0], 15)
	env = testEnv(t, map[string]string{"/in/a": files["/in/0"], "/in/b": strings.Replace(files["/in/0"], "IntWritable",
		"Shortened...", 1)}, conf.InputFileInputFormatInputDir.Name, "/in")
	splits, err := CombineSequenceInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	r, err := CombineSequenceInput{}.Open(testContext(env), &splits[0])
	require.NoError(t, err)
	for err == nil {
		_, _, err = r.Next()
	}
	require.Error(t, err, "files of other types do not mix")
	require.NotEqual(t, io.EOF, err)
}
