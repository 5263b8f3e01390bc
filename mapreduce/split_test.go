package mapreduce

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job/failure"
)

func TestSplitsSurviveEncoding(t *testing.T) {
	size := rapid.Int64Range(0, math.MaxInt64/2)
	text := rapid.StringN(0, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := &Split{Length: size.Draw(t, "length"), Combined: rapid.Bool().Draw(t, "combined")}
		for range rapid.IntRange(0, 4).Draw(t, "chunks") {
			s.Chunks = append(s.Chunks, Chunk{text.Draw(t, "path"), size.Draw(t, "start"), size.Draw(t, "n")})
		}
		for range rapid.IntRange(0, 3).Draw(t, "hosts") {
			s.Hosts = append(s.Hosts, text.Draw(t, "host"))
		}
		if x := text.Draw(t, "extra"); x != "" {
			s.Extra = []byte(x)
		}
		b := EncodeSplit(nil, s)
		got, err := DecodeSplit(b)
		require.NoError(t, err)
		require.Equal(t, s, got)
		_, err = DecodeSplit(append(b, 0))
		require.True(t, failure.Is(err, failure.Corrupt))
		_, err = DecodeSplit(b[:len(b)-1])
		require.True(t, failure.Is(err, failure.Corrupt))
	})
}

func FuzzDecodeSplit(f *testing.F) {
	f.Add([]byte{})
	f.Add(EncodeSplit(nil, &Split{Chunks: []Chunk{{"file:/a", 1, 2}}, Hosts: []string{"h"}, Length: 2,
		Extra: []byte("x")}))
	f.Add([]byte{splitVersion, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSplit(b)
		if err != nil {
			require.True(t, failure.Is(err, failure.Corrupt))
			return
		}
		again, err := DecodeSplit(EncodeSplit(nil, s))
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}

func TestSplitsSayWhatTheyAre(t *testing.T) {
	s := &Split{Extra: []byte("xyz")}
	require.Equal(t, "3 bytes", s.String())
	for i := range int64(6) {
		s.Chunks = append(s.Chunks, Chunk{"file:/f", i, 1})
	}
	require.Equal(t, "file:/f:0+1,file:/f:1+1,file:/f:2+1 and 3 more", s.String())
	s.Chunks = s.Chunks[:4]
	require.Equal(t, "file:/f:0+1,file:/f:1+1,file:/f:2+1,file:/f:3+1", s.String())
}

func FuzzUntag(f *testing.F) {
	f.Add(appendCounted(appendCounted(appendCounted(nil, "format"), "mapper"), "extra"))
	f.Fuzz(func(t *testing.T, extra []byte) {
		inner, format, mapper, err := untag(&Split{Extra: extra})
		if err != nil {
			require.True(t, failure.Is(err, failure.Corrupt))
			return
		}
		require.LessOrEqual(t, len(format)+len(mapper)+len(inner.Extra), len(extra))
	})
}
