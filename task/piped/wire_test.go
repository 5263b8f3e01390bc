package piped

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/shuffle"
	"github.com/howdah/howdah/task/sortio"
)

// mapOutput creates a map output with one record per partition. The sizes are those of the values;
// 0 means no record.
func mapOutput(t testing.TB, sizes ...int) string {
	t.Helper()
	dir := t.TempDir()
	c, err := sortio.NewCollector(sortio.Config{Dir: dir, Partitions: len(sizes), Cmp: mapreduce.TextWritable,
		Buffer: 4 << 20, Factor: 10, MinSpills: 3, SpillPercent: 0.8, MaxRecord: 64 << 20})
	require.NoError(t, err)
	for p, n := range sizes {
		if n > 0 {
			require.NoError(t, c.Collect(p, []byte("\x01k"), bytes.Repeat([]byte{byte(p)}, n)))
		}
	}
	_, err = c.Close(t.Context())
	require.NoError(t, err)
	return dir
}

// only returns the records for one partition, as Hadoop passes them to that reducer.
func only(t testing.TB, all []byte, partition uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	r, w := reader{r: bufio.NewReader(bytes.NewReader(all))}, writer{w: bufio.NewWriter(&out)}
	for {
		p, v, err := r.next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if p.partition == partition {
			require.NoError(t, w.record(p, v))
		}
	}
	require.NoError(t, w.w.Flush())
	return out.Bytes()
}

func TestSegmentsArrive(t *testing.T) {
	outputs := []string{mapOutput(t, 10, 3*pieceSize+17, 0), mapOutput(t, 0, 0, 5), mapOutput(t, 1, pieceSize, 2)}
	var all bytes.Buffer
	for m, dir := range outputs {
		require.NoError(t, send(&all, dir, uint32(m)))
	}
	id := job.ID{Cluster: "1", Seq: 2}
	for p := range 3 {
		root := t.TempDir()
		require.NoError(t, receive(bytes.NewReader(only(t, all.Bytes(), uint32(p))), root, id, p, len(outputs)))
		for m, from := range outputs {
			dir := shuffle.OutputDir(root, job.AttemptID{TaskID: job.TaskID{Job: id, Index: int32(m)}})
			got, err := sortio.ReadIndex(filepath.Join(dir, sortio.OutputName))
			require.NoError(t, err)
			sent, err := sortio.ReadIndex(filepath.Join(from, sortio.OutputName))
			require.NoError(t, err)
			want := sent[p]
			file, err := os.ReadFile(filepath.Join(from, sortio.OutputName))
			require.NoError(t, err)
			bytesWanted := file[want.Start : want.Start+want.Part]
			if want.Part == 0 {
				want = sortio.Entry{}
			}
			want.Start = 0
			require.Equal(t, want, got[p], "map %d partition %d", m, p)
			b, err := os.ReadFile(filepath.Join(dir, sortio.OutputName))
			require.NoError(t, err)
			require.True(t, bytes.HasPrefix(b, bytesWanted))
		}
	}
}

func TestReducerWithoutInput(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, receive(bytes.NewReader(nil), root, job.ID{Cluster: "1", Seq: 1}, 4, 3))
	_, err := sortio.ReadIndex(filepath.Join(shuffle.OutputDir(root,
		job.AttemptID{TaskID: job.TaskID{Job: job.ID{Cluster: "1", Seq: 1}, Index: 2}}), sortio.OutputName))
	require.NoError(t, err)
}

func TestDamagedPieces(t *testing.T) {
	var all bytes.Buffer
	require.NoError(t, send(&all, mapOutput(t, 2*pieceSize+5), 1))
	good := all.Bytes()
	record := func(p place, v []byte) []byte {
		var b bytes.Buffer
		w := writer{w: bufio.NewWriter(&b)}
		require.NoError(t, w.record(p, v))
		require.NoError(t, w.w.Flush())
		return b.Bytes()
	}
	head := 4 + placeSize + 4 + headSize
	piece := 4 + placeSize + 4 + pieceSize
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, b := range map[string][]byte{
		"cut inside a record":     good[:head+100],
		"cut inside a length":     good[:head+2],
		"last piece missing":      good[:head+2*piece],
		"piece left out":          cat(good[:head], good[head+piece:]),
		"twice":                   cat(good, good),
		"no head":                 good[head:],
		"map that is not there":   record(place{0, 2, 0}, good[4+placeSize+4:head]),
		"another partition":       record(place{1, 0, 0}, good[4+placeSize+4:head]),
		"too much":                cat(good, record(place{0, 1, 4}, []byte("x"))),
		"short head":              record(place{0, 0, 0}, []byte("x")),
		"long key":                cat([]byte{0, 0, 0, 13}, make([]byte, 13)),
		"long value":              cat([]byte{0, 0, 0, placeSize}, make([]byte, placeSize), []byte{0x7f, 0, 0, 0}),
		"negative segment length": record(place{0, 0, 0}, bytes.Repeat([]byte{0xff}, headSize)),
	} {
		err := receive(bytes.NewReader(b), t.TempDir(), job.ID{Cluster: "1", Seq: 1}, 0, 2)
		require.Equal(t, failure.Corrupt, failure.KindOf(err), "%s: %v", name, err)
	}
	require.NoError(t, receive(bytes.NewReader(good), t.TempDir(), job.ID{Cluster: "1", Seq: 1}, 0, 2))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestReaderGone(t *testing.T) {
	require.ErrorContains(t, send(broken{}, mapOutput(t, 3*pieceSize), 0), "pipe closed")
}

func TestCountersComeBack(t *testing.T) {
	var b bytes.Buffer
	c := &job.Counters{}
	c.Builtin[job.MapInputRecords] = 7
	c.Add("a,b = c", "d/e é", 8)
	(&reporter{out: &b}).counters(c)
	require.Equal(t, "\nreporter:counter:howdah/org.apache.hadoop.mapreduce.TaskCounter,MAP_INPUT_RECORDS,7\n"+
		"reporter:counter:howdah/a%2Cb+=+c,d/e+é,8\n", b.String())
	g, n, ok := Counter("howdah/a%2Cb+=+c", "d/e+é")
	require.True(t, ok)
	require.Equal(t, []string{"a,b = c", "d/e é"}, []string{g, n})
	_, _, ok = Counter("File System Counters", "x")
	require.False(t, ok)
}

func TestLines(t *testing.T) {
	for line, want := range map[string][2]int64{"3 4096\n": {3, 4096}, "0 8": {0, 8}, "17\t2 9\n": {2, 9}} {
		i, o, ok := parseLine(line)
		require.True(t, ok, line)
		require.Equal(t, want, [2]int64{int64(i), o}, line)
	}
	for _, line := range []string{"", "\n", "x 1", "1", "1 x", "-1 5", "1 -5"} {
		_, _, ok := parseLine(line)
		require.False(t, ok, line)
	}
}

func FuzzReceive(f *testing.F) {
	var all bytes.Buffer
	require.NoError(f, send(&all, mapOutput(f, 100), 0))
	f.Add(all.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = receive(bytes.NewReader(b), t.TempDir(), job.ID{Cluster: "1", Seq: 1}, 0, 3)
	})
}
