package avro

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The text of a file that Java's Avro wrote equals Java's own text, including the order of map
// entries. The test in integration/formats can regenerate the file.
func TestWhatJavaWroteIsRead(t *testing.T) {
	b, err := os.ReadFile("testdata/hadoop/three.avro")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/hadoop/three.txt")
	require.NoError(t, err)
	got, err := lines(b, Plain)
	require.NoError(t, err)
	require.Equal(t, string(want), strings.Join(got, "\n")+"\n")
}
