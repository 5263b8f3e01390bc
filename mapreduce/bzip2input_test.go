package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dsnet/compress/bzip2"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Regardless of the split size of a .bz2 file, each line belongs to exactly one split, even if a
// block ends inside the line.
func TestBzip2IsSplit(t *testing.T) {
	var text strings.Builder
	var want []string
	for i := range 60_000 {
		line := fmt.Sprintf("line %d %s", i, strings.Repeat("x", i%17))
		want = append(want, line)
		text.WriteString(line + []string{"\n", "\r\n"}[i%2])
	}
	var packed bytes.Buffer
	w, err := bzip2.NewWriter(&packed, &bzip2.WriterConfig{Level: 1})
	require.NoError(t, err)
	_, err = w.Write([]byte(text.String()))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, size := range []int{3, 2000, 10_000, 33_333, packed.Len() - 1} {
		env := testEnv(t, map[string]string{"/in/a.bz2": packed.String()}, conf.InputFileInputFormatInputDir.Name, "/in",
			conf.InputFileInputFormatSplitMaxSize.Name, fmt.Sprint(size))
		if size == 3 {
			env.Conf.Set(conf.InputFileInputFormatSplitMinSize.Name, fmt.Sprint(packed.Len()/20), "test")
		}
		splits, err := TextInput{}.Splits(context.Background(), env)
		require.NoError(t, err)
		var got []string
		for _, s := range splits {
			_, values, err := readAll(env, TextInput{}, s)
			require.NoError(t, err)
			got = append(got, values...)
		}
		require.Equal(t, want, got, "splits of %d bytes", size)
	}
}

func TestUnknownCodecsAreRefused(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a": "x"}, conf.InputFileInputFormatInputDir.Name, "/in",
		conf.IOCompressionCodecs.Name,
		"org.apache.hadoop.io.compress.GzipCodec, BZip2Codec")
	_, err := TextInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	env.Conf.Set(conf.IOCompressionCodecs.Name, "com.hadoop.compression.lzo.LzoCodec", "test")
	_, err = TextInput{}.Splits(context.Background(), env)
	require.ErrorIs(t, err, failure.Config.Target())
	require.ErrorContains(t, err, "LzoCodec")
}
