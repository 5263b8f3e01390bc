package sequencefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The reader can read files written by Apache Hadoop 3.4.2. The test in integration/formats can
// regenerate them.
func TestWhatHadoopWroteIsRead(t *testing.T) {
	var want []rec
	for i := range 100 {
		v := fmt.Sprint("value ", i)
		want = append(want, rec{string(binary.BigEndian.AppendUint64(nil, uint64(i))), string(rune(len(v))) + v})
	}
	files, err := filepath.Glob("testdata/hadoop/*")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		r, err := NewReader(bytes.NewReader(b), ReadOptions{Name: name})
		require.NoError(t, err)
		require.Equal(t, []string{long, text}, []string{r.Header().KeyClass, r.Header().ValueClass}, name)
		require.Equal(t, []Pair{{"written by", "Hadoop"}}, r.Header().Metadata)
		got, err := read(r)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

// With the same sync marker, the writer produces the same uncompressed file as Hadoop.
func TestTheSameFileAsHadoops(t *testing.T) {
	want, err := os.ReadFile("testdata/hadoop/none")
	require.NoError(t, err)
	r, err := NewReader(bytes.NewReader(want), ReadOptions{})
	require.NoError(t, err)
	var got bytes.Buffer
	w, err := NewWriter(&got, Options{KeyClass: long, ValueClass: text, Metadata: r.Header().Metadata,
		Sync: r.Header().Sync})
	require.NoError(t, err)
	records, err := read(r)
	require.NoError(t, err)
	for _, x := range records {
		require.NoError(t, w.Append([]byte(x.key), []byte(x.value)))
	}
	require.NoError(t, w.Close())
	require.True(t, bytes.Equal(want, got.Bytes()))
}
