package conf

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReaderKeepsTheFirstError(t *testing.T) {
	c := New()
	c.Set("a", "7", "test")
	c.Set("b", "0.5", "test")
	c.Set("c", "true", "test")
	c.Set("d", "2k", "test")
	c.Set("bad", "x", "test")
	c.Set("worse", "y", "test")
	r := Reader{Conf: c}
	require.EqualValues(t, 7, r.Int("a", 1, 0, 10))
	require.Equal(t, 0.5, r.Float("b", 1, 0, 10))
	require.True(t, r.Bool("c", false))
	require.EqualValues(t, 2048, r.Size("d", 1, 0, 1<<20))
	r.Note(nil)
	require.NoError(t, r.Err)
	for _, read := range []func(key string){
		func(key string) { r.Int(key, 1, 0, 10) },
		func(key string) { r.Float(key, 1, 0, 10) },
		func(key string) { r.Bool(key, false) },
		func(key string) { r.Size(key, 1, 0, 10) },
	} {
		r.Err = nil
		read("bad")
		require.ErrorContains(t, r.Err, "bad=x")
		read("worse")
		r.Note(errors.New("later"))
		require.ErrorContains(t, r.Err, "bad=x")
	}
}
