package avro

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that Java's Avro wrote (integration/formats has it write it anew) is shown as Java shows it, maps in the order of its
// hash maps.
func TestWhatJavaWroteIsRead(t *testing.T) {
	b, err := os.ReadFile("testdata/hadoop/three.avro")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/hadoop/three.txt")
	require.NoError(t, err)
	got, err := lines(b, Plain)
	require.NoError(t, err)
	require.Equal(t, string(want), strings.Join(got, "\n")+"\n")
}
