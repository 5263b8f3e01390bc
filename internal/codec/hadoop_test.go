package codec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The codecs read files from Apache Hadoop 3.4.2, as a stream and in memory. integration/formats
// creates the files. Hadoop's bzip2 file has randomized blocks.
func TestWhatHadoopWroteIsRead(t *testing.T) {
	var text bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	want := map[string][]byte{"text": text.Bytes(), "constant": bytes.Repeat([]byte{'a'}, 300_000), "empty": {}}
	files, err := filepath.Glob("testdata/hadoop/*")
	require.NoError(t, err)
	require.Len(t, files, 15)
	for _, name := range files {
		content, _, _ := strings.Cut(filepath.Base(name), ".")
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		got, err := readAll(ByPath(name), bytes.NewReader(b))
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want[content], got), name)
		got, err = ByPath(name).AppendDecodedStream(nil, b, 1<<20)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want[content], got), name)
	}
}
