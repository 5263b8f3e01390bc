package codec

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/dsnet/compress/bzip2"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// streams returns a file of several bzip2 streams that contain many blocks.
func streams(t testing.TB, parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w, err := bzip2.NewWriter(&b, &bzip2.WriterConfig{Level: 1})
		require.NoError(t, err)
		_, err = w.Write(p)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	return b.Bytes()
}

func words(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "w%x ", r.Uint32N(5000))
	}
	return b.Bytes()[:n]
}

// part returns the bytes that belong to a part of a file.
func part(file []byte, start, end int64) ([]byte, error) {
	s := ByPath("x.bz2").(Splitter).NewSplitReader(bytes.NewReader(file[start:]), start, end)
	defer s.Close()
	var out []byte
	buf := make([]byte, 10_000)
	for {
		n, err := s.Read(buf)
		if to, ok := s.Boundary(); ok && int64(len(out)+n) >= to {
			return append(out, buf[:n]...)[:to], nil
		}
		out = append(out, buf[:n]...)
		if err == io.EOF {
			return nil, fmt.Errorf("the end, and no boundary")
		}
		if err != nil {
			return nil, err
		}
	}
}

func TestPartsOfABzip2FileAreTheWhole(t *testing.T) {
	want := append(append(words(450_000, 1), words(30_000, 2)...), bytes.Repeat([]byte{'z'}, 700_000)...)
	file := streams(t, want[:450_000], nil, want[450_000:480_000], want[480_000:])
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10 {
		cuts := []int64{0}
		for len(cuts) < 6 {
			cuts = append(cuts, min(cuts[len(cuts)-1]+r.Int64N(int64(len(file)/4)), int64(len(file))))
		}
		cuts = append(cuts, int64(len(file)))
		var got []byte
		for i := range cuts[1:] {
			p, err := part(file, cuts[i], cuts[i+1])
			require.NoError(t, err, "cuts %v", cuts)
			got = append(got, p...)
		}
		require.True(t, bytes.Equal(want, got), "cuts %v", cuts)
	}
}

// A cut inside the header or inside the first marker leaves the first block to the first part.
func TestCutsAtTheStartOfABzip2File(t *testing.T) {
	file := streams(t, words(250_000, 3))
	for cut := int64(1); cut < 12; cut++ {
		head, err := part(file, 0, cut)
		require.NoError(t, err)
		require.Greater(t, len(head), 90_000)
		tail, err := part(file, cut, int64(len(file)))
		require.NoError(t, err)
		require.Equal(t, string(words(250_000, 3)), string(head)+string(tail))
	}
}

func TestAPartGoesOnBehindItsEnd(t *testing.T) {
	file := streams(t, words(250_000, 3))
	s := bzip2Codec{}.NewSplitReader(bytes.NewReader(file), 0, 10)
	got, err := io.ReadAll(s)
	require.NoError(t, err)
	require.Equal(t, words(250_000, 3), got)
	n, ok := s.Boundary()
	require.True(t, ok)
	require.Less(t, n, int64(110_000))
}

func TestDamagedPartsAreCorrupt(t *testing.T) {
	file := streams(t, words(250_000, 3))
	_, err := part(file[:len(file)/2], 0, int64(len(file)))
	require.ErrorIs(t, err, failure.Corrupt.Target())
	file[len(file)/2] ^= 1
	_, err = part(file, 0, int64(len(file)))
	require.ErrorIs(t, err, failure.Corrupt.Target())
	require.ErrorContains(t, err, "compressed byte ")
}

func FuzzSplit(f *testing.F) {
	f.Add(streams(f, words(300, 1), words(100, 2)), uint16(0), uint16(50))
	f.Fuzz(func(t *testing.T, file []byte, start, length uint16) {
		from := min(int64(start), int64(len(file)))
		s := bzip2Codec{}.NewSplitReader(bytes.NewReader(file[from:]), from, from+int64(length))
		_, _ = io.CopyN(io.Discard, s, 1<<20)
	})
}
