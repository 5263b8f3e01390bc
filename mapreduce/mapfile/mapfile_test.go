package mapfile

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

func key(i int) []byte { return fmt.Appendf(nil, "%06d", i) }

func TestKeysAreFound(t *testing.T) {
	for _, c := range []sequencefile.Compression{sequencefile.None, sequencefile.Record, sequencefile.Block} {
		var data, index bytes.Buffer
		w, err := NewWriter(&data, &index, sequencefile.Options{KeyClass: "K", ValueClass: "V", Compression: c,
			BlockSize: 2000, SyncInterval: 500}, 10, bytes.Compare)
		require.NoError(t, err)
		for i := range 1000 {
			require.NoError(t, w.Append(key(2*i), fmt.Appendf(nil, "value %d", i)))
			if i%100 == 0 {
				require.NoError(t, w.Append(key(2*i), []byte("second")))
			}
		}
		require.NoError(t, w.Close())
		r, err := NewReader(bytes.NewReader(data.Bytes()), bytes.NewReader(index.Bytes()), sequencefile.ReadOptions{},
			bytes.Compare)
		require.NoError(t, err)
		require.Equal(t, "K", r.Header().KeyClass)
		for _, i := range []int{0, 1, 17, 500, 998, 999, 3} {
			v, ok, err := r.Get(key(2 * i))
			require.NoError(t, err)
			require.True(t, ok, "%d", i)
			require.Equal(t, fmt.Sprint("value ", i), string(v))
			_, ok, err = r.Get(key(2*i + 1))
			require.NoError(t, err)
			require.False(t, ok)
		}
		ok, err := r.Seek(key(33))
		require.NoError(t, err)
		require.False(t, ok)
		k, _, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, key(34), k)
		ok, err = r.Seek(key(9999))
		require.NoError(t, err)
		require.False(t, ok)
		_, _, err = r.Next()
		require.Equal(t, io.EOF, err)
	}
}

func TestKeysMustBeInOrder(t *testing.T) {
	w, err := NewWriter(io.Discard, io.Discard, sequencefile.Options{}, 1, bytes.Compare)
	require.NoError(t, err)
	require.NoError(t, w.Append([]byte("b"), nil))
	require.ErrorIs(t, w.Append([]byte("a"), nil), failure.User.Target())
}

func TestADamagedIndexIsTold(t *testing.T) {
	var data, index bytes.Buffer
	w, err := sequencefile.NewWriter(&index, sequencefile.Options{})
	require.NoError(t, err)
	require.NoError(t, w.Append([]byte("a"), []byte("no position")))
	require.NoError(t, w.Close())
	d, err := sequencefile.NewWriter(&data, sequencefile.Options{})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	_, err = NewReader(bytes.NewReader(data.Bytes()), bytes.NewReader(index.Bytes()), sequencefile.ReadOptions{},
		bytes.Compare)
	require.ErrorIs(t, err, failure.Corrupt.Target())
}
