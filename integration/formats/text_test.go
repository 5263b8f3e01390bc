//go:build integration

package formats

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mapfile"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// `hadoop fs -text` and WriteAsText print the same text for plain files, compressed files, Avro files,
// and SequenceFiles.
func TestFilesAsText(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string, b []byte) { require.NoError(t, os.WriteFile(at(name), b, 0o644)) }
	put("plain", lines(50))
	put("empty", nil)
	put("one", []byte("S"))
	put("Object", []byte("Obelisk\n"))
	names := []string{"plain", "empty", "one", "Object", "nested", "gzipped"}
	var s script
	for class, ext := range map[string]string{"DefaultCodec": "deflate", "GzipCodec": "gz", "BZip2Codec": "bz2",
		"SnappyCodec": "snappy", "Lz4Codec": "lz4"} {
		s.add("compress", codecPackage+class, at("plain"), at("packed."+ext))
		names = append(names, "packed."+ext)
	}
	s.add("compress", codecPackage+"GzipCodec", at("plain"), at("gzipped"))
	s.add("nested", at("nested"))
	for _, c := range []string{"null", "deflate", "snappy", "bzip2"} {
		for _, n := range []string{"0", "1", "100"} {
			s.add("avrowrite", c, n, at("avro."+c+n))
			names = append(names, "avro."+c+n)
		}
	}
	h.run(t, s)
	for kind, values := range columns(t) {
		if kind == mapreduce.IntPairWritable {
			continue
		}
		var rs []record
		for i := range values {
			rs = append(rs, record{key: values[i], value: values[len(values)-1-i]})
		}
		write(t, at(kind.Class()), kind.Class(), kind.Class(), [2]string{"BLOCK", "GzipCodec"}, rs)
		names = append(names, kind.Class())
	}
	for _, name := range names {
		h.mu.Lock()
		theirs, err := h.Shell("-text", at(name))
		h.mu.Unlock()
		require.NoError(t, err)
		require.Zero(t, theirs.Code, "%s: %.300s", name, theirs.Err)
		f, err := os.Open(at(name))
		require.NoError(t, err)
		var ours bytes.Buffer
		require.NoError(t, mapreduce.WriteAsText(&ours, f, at(name)), name)
		same(t, string(theirs.Out), ours.String(), name)
		_ = f.Close()
	}
}

// same compares two texts and fails the test at the first line that differs.
func same(t *testing.T, want, got, what string) {
	t.Helper()
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	for i := range min(len(a), len(b)) {
		require.Equal(t, a[i], b[i], "%s: line %d", what, i+1)
	}
	require.Equal(t, len(a), len(b), "%s: lines", what)
}

// We read the same values from the splits of an Avro file as Avro's own reader reads from the file.
func TestAvroFilesAreInput(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	file, dump := filepath.Join(dir, "f.avro"), filepath.Join(dir, "dump")
	var s script
	s.add("avrowrite", "deflate", "500", file)
	s.add("avrodump", file, dump)
	h.run(t, s)
	want, err := os.ReadFile(dump)
	require.NoError(t, err)
	c := conf.New()
	c.Set(conf.InputFileInputFormatInputDir.Name, file, "test")
	c.Set(conf.InputFileInputFormatSplitMaxSize.Name, "5000", "test")
	fs, err := local.Resolver(c)
	require.NoError(t, err)
	env := &mapreduce.Env{Conf: c, FS: fs}
	splits, err := mapreduce.AvroAsTextInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	require.Greater(t, len(splits), 5)
	var got []byte
	for _, s := range splits {
		r, err := mapreduce.AvroAsTextInput{}.Open(mapreduce.NewContext(context.Background(), *env, mapreduce.TaskInfo{}), &s)
		require.NoError(t, err)
		for {
			k, _, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			got = append(mapreduce.TextWritable.AppendText(got, k), '\n')
		}
		require.NoError(t, r.Close())
	}
	same(t, string(want), string(got), "values")
}

// Hadoop and howdah search each other's MapFiles.
func TestMapFilesBothWays(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	_, keys := values(t, 1000, func(i int) int64 { return int64(i) * 3 })
	kind, vals := values(t, 1000, func(i int) string { return fmt.Sprint("value ", i) })
	var rs []record
	for i := range keys {
		rs = append(rs, record{key: keys[i], value: vals[i]})
	}
	records, ours, theirs, dump := filepath.Join(dir, "records"), filepath.Join(dir, "ours"), filepath.Join(dir, "theirs"),
		filepath.Join(dir, "dump")
	writeRecords(t, records, io_+"LongWritable", kind.Class(), rs)
	require.NoError(t, os.Mkdir(ours, 0o755))
	data, err := os.Create(filepath.Join(ours, mapfile.Data))
	require.NoError(t, err)
	index, err := os.Create(filepath.Join(ours, mapfile.Index))
	require.NoError(t, err)
	w, err := mapfile.NewWriter(data, index, sequencefile.Options{KeyClass: io_ + "LongWritable", ValueClass: kind.Class(),
		Compression: sequencefile.Block, BlockSize: 2000}, 128, mapreduce.LongWritable.Compare)
	require.NoError(t, err)
	for _, r := range rs {
		require.NoError(t, w.Append(r.key, r.value))
	}
	require.NoError(t, w.Close())
	var s script
	s.add("mapwrite", records, theirs)
	s.add("mapread", ours, dump)
	h.run(t, s)
	_, _, got := readDump(t, dump)
	require.Len(t, got, len(rs))
	for i := range got {
		require.Equal(t, string(rs[i].value), string(got[i].value), "found by Hadoop")
	}
	open := func(name string) *os.File {
		f, err := os.Open(filepath.Join(theirs, name))
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	r, err := mapfile.NewReader(open(mapfile.Data), open(mapfile.Index), sequencefile.ReadOptions{},
		mapreduce.LongWritable.Compare)
	require.NoError(t, err)
	for i := len(rs) - 1; i >= 0; i-- {
		v, ok, err := r.Get(rs[i].key)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, string(rs[i].value), string(v))
	}
}
