package mapreduce

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
)

// These tests compare results with those of Hadoop 3.4.2. testdata/hadoop describes how Hadoop's
// results were recorded.

func facts(t *testing.T, name string, each func(t *testing.T, f []string)) {
	t.Helper()
	file, err := os.Open("testdata/hadoop/" + name)
	require.NoError(t, err)
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<20)
	n := 0
	for ; s.Scan(); n++ {
		each(t, strings.Split(s.Text(), "\t"))
		if t.Failed() {
			t.Fatalf("%s:%d", name, n+1)
		}
	}
	require.NoError(t, s.Err())
	require.Greater(t, n, 50)
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

var allTypes = []Type{TextWritable, BytesWritable, IntWritable, LongWritable, VIntWritable, VLongWritable,
	ShortWritable,
	ByteWritable, BooleanWritable, FloatWritable, DoubleWritable, NullWritable, MD5Hash, IntPairWritable}

func typeOf(t *testing.T, class string) Type {
	for _, x := range allTypes {
		if x.Class() == class {
			return x
		}
	}
	t.Fatalf("no type %s", class)
	return nil
}

func TestWritablesAreHadoops(t *testing.T) {
	var last []byte
	lastClass := ""
	facts(t, "writables.tsv", func(t *testing.T, f []string) {
		typ, b := typeOf(t, f[0]), unhex(t, f[1])
		require.Equal(t, f[2], fmt.Sprint(typ.Hash(b)), "hashCode of %s %x", f[0], b)
		require.Equal(t, string(unhex(t, f[3])), string(typ.AppendText(nil, b)), "toString of %s %x", f[0], b)
		if f[0] == lastClass {
			require.Equal(t, f[4], fmt.Sprint(sign(typ.Compare(last, b))), "%s: %x against %x", f[0], last, b)
			prefixLaw(t, typ, last, b)
		}
		last, lastClass = b, f[0]
	})
}

func sign(n int) int { return min(max(n, -1), 1) }

func TestFloatsAreJavas(t *testing.T) {
	facts(t, "floats.tsv", func(t *testing.T, f []string) {
		d, err := strconv.ParseUint(f[0], 16, 64)
		require.NoError(t, err)
		require.Equal(t, f[1], string(AppendDouble(nil, math.Float64frombits(d))), f[0])
		s, err := strconv.ParseUint(f[2], 16, 32)
		require.NoError(t, err)
		require.Equal(t, f[3], string(AppendFloat(nil, math.Float32frombits(uint32(s)))), f[2])
	})
}

func TestLinesAreHadoops(t *testing.T) {
	facts(t, "lines.tsv", func(t *testing.T, f []string) {
		env := testEnv(t, map[string]string{"/f": string(unhex(t, f[0]))}, conf.TextInputFormatRecordDelimiter.Name,
			string(unhex(t, f[1])))
		start, _ := strconv.ParseInt(f[2], 10, 64)
		length, _ := strconv.ParseInt(f[3], 10, 64)
		keys, values, err := readAll(env, TextInput{}, chunk(start, length))
		require.NoError(t, err)
		var got []string
		for i, k := range keys {
			got = append(got, k+"="+hex.EncodeToString([]byte(values[i])))
		}
		require.Equal(t, f[4], strings.Join(got, " "), "%q at %d+%d", unhex(t, f[0]), start, length)
	})
}

// sizedFiles is a file system whose files have only a size. Like Hadoop's local file system, it
// returns one location for the whole file.
type sizedFiles struct {
	dfs.FileSystem
	sizes []string
	hosts []string
}

func (s sizedFiles) info(name string) dfs.Info {
	size, _ := strconv.ParseInt(s.sizes[path.Base(name)[0]-'a'], 10, 64)
	return dfs.Info{Path: name, Size: size, BlockSize: 32 << 20}
}

func (s sizedFiles) Stat(_ context.Context, name string) (dfs.Info, error) {
	if name == "/" {
		return dfs.Info{Path: "/", Dir: true}, nil
	}
	return s.info(name), nil
}

func (s sizedFiles) Locations(_ context.Context, name string, _, n int64) ([]dfs.Block, error) {
	if n == 0 {
		return nil, nil
	}
	return []dfs.Block{{Length: n, Hosts: s.hosts}}, nil
}

func TestSplitsAreHadoops(t *testing.T) {
	facts(t, "splits.tsv", func(t *testing.T, f []string) {
		sizes := strings.Split(strings.Trim(f[0], "[]"), ", ")
		c := conf.New()
		for i := range sizes {
			AddInputPaths(c, "/"+string(rune('a'+i)))
		}
		for i, key := range []string{conf.InputFileInputFormatSplitMaxSize.Name, conf.InputFileInputFormatSplitMinSize.Name,
			conf.InputFileInputFormatSplitMinSizePerNode.Name} {
			if f[i+1] != "0" {
				c.Set(key, f[i+1], "test")
			}
		}
		for _, hosts := range [][]string{nil, {"localhost"}} {
			env := &Env{Conf: c, FS: memFS{sizedFiles{mem.New(), sizes, hosts}}}
			for i, in := range []InputFormat{TextInput{}, CombineTextInput{}} {
				splits, err := in.Splits(context.Background(), env)
				require.NoError(t, err)
				require.Equal(t, f[4+i], showSplits(splits), "%T %v", in, f[:4])
			}
		}
	})
}

// showSplits formats splits as in testdata/hadoop/splits.tsv.
func showSplits(splits []Split) string {
	var all []string
	for _, s := range splits {
		var chunks []string
		sum := int64(0)
		for _, c := range s.Chunks {
			chunks = append(chunks, fmt.Sprintf("%s:%d+%d", path.Base(c.Path), c.Start, c.Length))
			sum += c.Length
		}
		if sum != s.Length {
			chunks = append(chunks, "wrong length")
		}
		all = append(all, strings.Join(chunks, ","))
	}
	return strings.Join(all, " ")
}
