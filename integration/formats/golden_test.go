//go:build integration

package formats

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "make Hadoop rewrite the files that unit tests read")

// TestGolden creates the files in testdata/hadoop for internal/codec, mapreduce/sequencefile, and
// mapreduce/avro.
func TestGolden(t *testing.T) {
	if !*rewrite {
		t.Skip("only with -rewrite")
	}
	h := start(t)
	dir := t.TempDir()
	var text bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	var s script
	for name, b := range map[string][]byte{"text": text.Bytes(), "constant": bytes.Repeat([]byte{'a'}, 300_000),
		"empty": nil} {
		from := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(from, b, 0o644))
		for class, ext := range map[string]string{"DefaultCodec": "deflate", "GzipCodec": "gz", "BZip2Codec": "bz2",
			"SnappyCodec": "snappy", "Lz4Codec": "lz4"} {
			s.add("compress", codecPackage+class, from, golden(t, "internal/codec", name+"."+ext))
		}
	}
	kind, keys := values(t, 100, func(i int) int64 { return int64(i) })
	_, vals := values(t, 100, func(i int) string { return fmt.Sprint("value ", i) })
	var rs []record
	for i := range keys {
		rs = append(rs, record{key: keys[i], value: vals[i]})
	}
	records := filepath.Join(dir, "records")
	writeRecords(t, records, kind.Class(), io_+"Text", rs)
	for _, how := range [][2]string{{"NONE", ""}, {"RECORD", "DefaultCodec"}, {"BLOCK", "DefaultCodec"},
		{"BLOCK", "SnappyCodec"}, {"BLOCK", "BZip2Codec"}} {
		name := strings.ToLower(how[0] + strings.TrimSuffix(how[1], "Codec"))
		s.add("seqwrite", how[0], codecPackage+how[1], records, golden(t, "mapreduce/sequencefile", name),
			"written by", "Hadoop")
	}
	s.add("avrowrite", "deflate", "3", golden(t, "mapreduce/avro", "three.avro"))
	s.add("avrodump", golden(t, "mapreduce/avro", "three.avro"), golden(t, "mapreduce/avro", "three.txt"))
	h.run(t, s)
	crcs, err := filepath.Glob(golden(t, "mapreduce/sequencefile", ".*.crc"))
	require.NoError(t, err)
	for _, name := range crcs {
		require.NoError(t, os.Remove(name))
	}
}

// golden returns the path of a file for a package's tests.
func golden(t *testing.T, pkg, name string) string {
	dir := filepath.Join("..", "..", pkg, "testdata", "hadoop")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	name, err := filepath.Abs(filepath.Join(dir, name))
	require.NoError(t, err)
	return name
}
