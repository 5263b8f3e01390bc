package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/hamba/avro/v2"
)

// avroLimits keep a damaged length from taking the machine's memory.
var avroLimits = avro.Config{MaxByteSliceSize: 64 << 20, MaxSliceAllocSize: 1 << 20}.Freeze()

// binary reads the events of an Avro-Binary file. Events have no frame: behind a damaged one nothing more can be read. Places
// are numbered as if each event were a line, the first being line 3.
func (h *jhistReader) binary(schemaText []byte, r *bufio.Reader) {
	schema, err := eventSchema(schemaText)
	if err != nil {
		h.im.damage(h.path, 2, "the schema: %v", err)
		return
	}
	d := avroLimits.NewDecoder(schema, r)
	for n := int64(3); ; n++ {
		e, err := decodeEvent(d)
		if err == io.EOF {
			return
		}
		if err != nil {
			h.im.damage(h.path, n, "event %d: %v; what follows cannot be read", n-2, err)
			return
		}
		h.use(n, e)
	}
}

// decodeEvent reads one event. The decoder panics on some inputs that contradict their schema.
func decodeEvent(d *avro.Decoder) (e map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not an event: %v", p)
		}
	}()
	err = d.Decode(&e)
	if err == nil && e == nil {
		err = errors.New("not an event")
	}
	return e, err
}

// eventSchema reads the schema that a file brings along. One that contains itself is refused: decoding it need not end.
func eventSchema(text []byte) (s avro.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be read: %v", p)
		}
	}()
	s, err = avro.ParseBytesWithCache(text, "", &avro.SchemaCache{})
	if err != nil {
		return nil, err
	}
	rec, ok := s.(*avro.RecordSchema)
	if !ok || !hasField(rec, "type") || !hasField(rec, "event") {
		return nil, errors.New("it does not describe events of a job's history")
	}
	w := walk{on: map[avro.Schema]bool{}}
	return s, w.visit(s)
}

func hasField(r *avro.RecordSchema, name string) bool {
	for _, f := range r.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}

// walk visits a schema in depth.
type walk struct {
	on   map[avro.Schema]bool // on the way from the top
	seen int
}

// maxSchema bounds the parts of a schema, each use of a named one counted. Hadoop's has less than a thousand.
const maxSchema = 20000

func (w *walk) visit(s avro.Schema) error {
	if ref, ok := s.(*avro.RefSchema); ok {
		s = ref.Schema()
	}
	if w.seen++; w.seen > maxSchema {
		return errors.New("it is too large")
	}
	if w.on[s] {
		return errors.New("it contains itself")
	}
	w.on[s] = true
	defer delete(w.on, s)
	switch s := s.(type) {
	case *avro.RecordSchema:
		for _, f := range s.Fields() {
			if err := w.visit(f.Type()); err != nil {
				return err
			}
		}
	case *avro.ArraySchema:
		return w.visit(s.Items())
	case *avro.MapSchema:
		return w.visit(s.Values())
	case *avro.UnionSchema:
		for _, t := range s.Types() {
			if err := w.visit(t); err != nil {
				return err
			}
		}
	}
	return nil
}
