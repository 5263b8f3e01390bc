package mapreduce

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// For splits with files, the expected sizes are those that Hadoop 3.4.2 counted.
func TestHadoopSize(t *testing.T) {
	c := conf.New()
	a := Chunk{Path: "file:/tmp/in/a", Length: 5}
	require.EqualValues(t, 79, (&Split{Chunks: []Chunk{a}}).HadoopSize(c))
	require.EqualValues(t, 55+8+12+2*(15+16), (&Split{Chunks: []Chunk{a, a}}).HadoopSize(c))
	require.EqualValues(t, 55+8+12+15+16, (&Split{Chunks: []Chunk{a}, Combined: true}).HadoopSize(c))
	s := &Split{Extra: []byte("x"), Length: 1}
	require.EqualValues(t, len(EncodeSplit(nil, s)), s.HadoopSize(c))

	c.Set("mapred.mapper.new-api", "false", "test")
	require.EqualValues(t, 1+34+15+16, (&Split{Chunks: []Chunk{a}}).HadoopSize(c))
	require.EqualValues(t, 1+45+8+12+2*(15+16), (&Split{Chunks: []Chunk{a, a}}).HadoopSize(c))
}
