package conf

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReaderKeepsTheFirstError(t *testing.T) {
	ranged := func(name string) Key { return Key{Name: name, Range: "0 to 1048576"} }
	from := map[string]func(name string, r *Reader) any{
		"int":   func(name string, r *Reader) any { k := Int(ranged(name)); return k.From(r) },
		"float": func(name string, r *Reader) any { k := Float(ranged(name)); return k.From(r) },
		"bool":  func(name string, r *Reader) any { k := Bool(Key{Name: name}); return k.From(r) },
		"size":  func(name string, r *Reader) any { k := Size(ranged(name)); return k.From(r) },
	}
	c := New()
	for key, value := range map[string]string{"int": "7", "float": "0.5", "bool": "true", "size": "2k",
		"bad": "x", "worse": "y"} {
		c.Set(key, value, "test")
	}
	r := Reader{Conf: c}
	for key, want := range map[string]any{"int": int64(7), "float": 0.5, "bool": true, "size": int64(2048)} {
		require.Equal(t, want, from[key](key, &r))
	}
	r.Note(nil)
	require.NoError(t, r.Err)
	for what, read := range from {
		r.Err = nil
		read("bad", &r)
		require.ErrorContains(t, r.Err, "bad=x", what)
		read("worse", &r)
		r.Note(errors.New("later"))
		require.ErrorContains(t, r.Err, "bad=x", what)
	}
}
