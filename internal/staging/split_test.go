package staging

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

func examples() []mapreduce.Split {
	return []mapreduce.Split{
		{Chunks: []mapreduce.Chunk{{Path: "file:/in/a", Start: 0, Length: 1 << 40}}, Length: 1 << 40,
			Hosts: []string{"n1", "n2"}},
		{Extra: []byte{0, 1, 2}},
		{Chunks: []mapreduce.Chunk{{Path: "file:/in/ü", Start: 7, Length: 9}, {Path: "file:/in/b"}}, Length: 9},
	}
}

func TestSplitsComeBack(t *testing.T) {
	splits := examples()
	file, metas := encodeSplits(splits)
	for i, m := range metas {
		s, err := readRecord(bufio.NewReader(bytes.NewReader(file[m.Offset:])))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(&splits[i], s))
		require.Equal(t, splits[i].Length, m.Length)
		require.Equal(t, splits[i].Hosts, m.Hosts)
	}
	got, _, err := parseMeta(appendMeta(nil, metas), len(metas), 0)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(metas, got))
}

func TestTooManySplits(t *testing.T) {
	_, metas := encodeSplits(examples())
	_, _, err := parseMeta(appendMeta(nil, metas), 2, 0)
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
}

func TestEveryFlippedByteIsNoticed(t *testing.T) {
	file, metas := encodeSplits(examples())
	meta := appendMeta(nil, metas)
	for i := range meta {
		bad := bytes.Clone(meta)
		bad[i] ^= 1
		_, _, err := parseMeta(bad, 10, 0)
		require.Error(t, err, "byte %d", i)
	}
	first, end := metas[0].Offset, metas[1].Offset
	for i := first; i < end; i++ {
		bad := bytes.Clone(file)
		bad[i] ^= 1
		_, err := readRecord(bufio.NewReader(bytes.NewReader(bad[first:end])))
		require.Error(t, err, "byte %d", i)
	}
}

func FuzzMeta(f *testing.F) {
	_, metas := encodeSplits(examples())
	f.Add(appendMeta(nil, metas)[len(metaMagic)+8:])
	f.Fuzz(func(t *testing.T, body []byte) {
		metas, _, err := parseMeta(appendRecord([]byte(metaMagic), body), 1000, 0)
		if err != nil {
			return
		}
		again, _, err := parseMeta(appendMeta(nil, metas), 1000, 0)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(metas, again))
	})
}

func FuzzSplit(f *testing.F) {
	file, metas := encodeSplits(examples())
	for _, m := range metas {
		f.Add(file[m.Offset:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := readRecord(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		again, _ := encodeSplits([]mapreduce.Split{*s})
		got, err := readRecord(bufio.NewReader(bytes.NewReader(again[len(splitMagic):])))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(s, got))
	})
}
