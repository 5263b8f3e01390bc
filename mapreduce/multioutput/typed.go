package multioutput

import "github.com/howdah/howdah/mapreduce"

// Typed is a named output for records of Go types.
type Typed[K, V any] struct {
	out        *Output
	key        mapreduce.Codec[K]
	val        mapreduce.Codec[V]
	kbuf, vbuf []byte
}

// Named declares a named output with the Writables of K and V; see mapreduce.CodecOf. A nil format
// means the format that conf.JobOutputFormatClass selects, which is text by default.
func Named[K, V any](o *Outputs, name string, format mapreduce.OutputFormat) (*Typed[K, V], error) {
	key, err := mapreduce.CodecOf[K]()
	if err != nil {
		return nil, err
	}
	val, err := mapreduce.CodecOf[V]()
	if err != nil {
		return nil, err
	}
	out, err := o.Output(name, format, key.Type, val.Type)
	return &Typed[K, V]{out: out, key: key, val: val}, err
}

// Emit writes a record to NAME-r-00000. After an error, it does nothing, and Outputs.Close returns
// the error.
func (t *Typed[K, V]) Emit(key K, value V) { t.EmitTo(t.out.name, key, value) }

// EmitTo writes a record to BASE-r-00000; see Output.WriteTo.
func (t *Typed[K, V]) EmitTo(base string, key K, value V) {
	all := t.out.all
	if all.err != nil {
		return
	}
	t.kbuf = t.key.Append(t.kbuf[:0], key)
	t.vbuf = t.val.Append(t.vbuf[:0], value)
	all.err = t.out.WriteTo(base, t.kbuf, t.vbuf)
}
