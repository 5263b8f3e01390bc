package mapreduce

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What Hadoop 3.4.2 counted for splits of these files.
func TestHadoopSize(t *testing.T) {
	a := Chunk{Path: "file:/tmp/in/a", Length: 5}
	require.EqualValues(t, 79, (&Split{Chunks: []Chunk{a}}).HadoopSize())
	require.EqualValues(t, 55+8+12+2*(15+16), (&Split{Chunks: []Chunk{a, a}}).HadoopSize())
	s := &Split{Extra: []byte("x"), Length: 1}
	require.EqualValues(t, len(EncodeSplit(nil, s)), s.HadoopSize())
}
