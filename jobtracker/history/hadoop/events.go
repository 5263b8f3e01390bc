package hadoop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/twmb/avro"
)

// The first line of a .jhist file names its encoding. The second line is the Avro schema, and the
// events follow.
const (
	AvroJSON   = "Avro-Json"
	AvroBinary = "Avro-Binary"
)

// A Record is the content of an event, or of a part of it. Any field may be missing or wrapped as a
// branch of a union.
type Record map[string]any

// Content returns the type and the content of an event that either encoding has decoded. The content
// is nil if the event has none.
func Content(event map[string]any) (kind string, r Record) {
	body, _ := event["event"].(map[string]any)
	if body == nil {
		return "", nil
	}
	kind, _ = event["type"].(string)
	return kind, unwrap(body)
}

// unwrap unwraps the record in a union: {"org.apache.hadoop.mapreduce.jobhistory.JobSubmitted":
// {...}}.
func unwrap(body map[string]any) Record {
	if len(body) == 1 {
		for _, v := range body {
			if inner, ok := v.(map[string]any); ok {
				return inner
			}
		}
	}
	return body
}

func (r Record) value(name string) any {
	v := r[name]
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		for key, inner := range m {
			switch key {
			case "string", "int", "long", "boolean", "array", "double", "float", "enum", "map":
				return inner
			}
		}
	}
	return v
}

// Text returns a text, or "" if the field is missing.
func (r Record) Text(name string) string {
	s, _ := r.value(name).(string)
	return s
}

// Number returns a time or number, or 0 if the field is missing.
func (r Record) Number(name string) int64 {
	switch v := r.value(name).(type) {
	case json.Number:
		n, _ := v.Int64()
		return n
	case int64:
		return v
	case int32:
		return int64(v)
	case int:
		return int64(v)
	}
	return 0
}

// Positive is like Number, but it returns 0 for a negative number.
func (r Record) Positive(name string) int64 { return max(r.Number(name), 0) }

// Bool returns a truth value, or false if the field is missing.
func (r Record) Bool(name string) bool {
	b, _ := r.value(name).(bool)
	return b
}

// Records returns the records in an array, or nil if the field is missing.
func (r Record) Records(name string) (list []Record) {
	all, _ := r.value(name).([]any)
	for _, v := range all {
		if m, ok := v.(map[string]any); ok {
			list = append(list, m)
		}
	}
	return list
}

// Counters returns counters, or nil if the field is missing.
func (r Record) Counters(name string) Record {
	m, _ := r.value(name).(map[string]any)
	if _, ok := m["groups"]; ok || m == nil {
		return m
	}
	return unwrap(m)
}

// JSONEvents calls f with each event in a line. Some versions of Hadoop write several events per
// line.
func JSONEvents(line []byte, f func(event map[string]any)) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	for {
		var e map[string]any
		err := d.Decode(&e)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not an event: %w", err)
		}
		f(e)
	}
}

// IsSchema reports whether a line of a file in the JSON encoding is the schema. The schema may be
// missing.
func IsSchema(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"type":"record"`)) }

// maxEvent limits the size of an event in bytes. Decoding holds the whole event in memory.
const maxEvent = 64 << 20

// A Decoder decodes the events of an Avro-Binary file. Events are not framed, so nothing after a
// damaged event is readable.
type Decoder struct {
	schema *avro.Schema
	r      io.Reader
	buf    []byte // read but not decoded
	end    bool   // r is at its end
}

// NewDecoder returns a decoder for the events in r. schema is the file's second line.
func NewDecoder(schema []byte, r *bufio.Reader) (*Decoder, error) {
	s, err := eventSchema(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return &Decoder{schema: s, r: r}, nil
}

// Next returns the next event, or io.EOF. It reads until the buffer contains a whole event.
func (d *Decoder) Next() (e map[string]any, err error) {
	for {
		if len(d.buf) > 0 {
			e = nil
			rest, err := d.schema.Decode(d.buf, &e, avro.TaggedUnions())
			if err == nil && len(rest) < len(d.buf) {
				d.buf = rest
				return e, nil
			}
			if err == nil {
				return nil, errors.New("not an event")
			}
			var short *avro.ShortBufferError
			if d.end || !errors.As(err, &short) {
				return nil, err
			}
			if len(d.buf) >= maxEvent {
				return nil, fmt.Errorf("the event is longer than %d bytes", maxEvent)
			}
		}
		if d.end {
			return nil, io.EOF
		}
		if err := d.more(); err != nil {
			return nil, err
		}
	}
}

// more doubles the amount of buffered data. Doubling limits how often the same bytes are decoded.
func (d *Decoder) more() error {
	have := len(d.buf)
	d.buf = append(make([]byte, 0, max(2*have, 64<<10)), d.buf...)
	n, err := io.ReadFull(d.r, d.buf[have:cap(d.buf)])
	d.buf = d.buf[:have+n]
	d.end = err != nil
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// eventSchema reads the schema in the file's header. It rejects schemas of other records, ambiguous
// or recursive schemas, and schemas that are too large when their references are expanded.
func eventSchema(text []byte) (*avro.Schema, error) {
	s, err := avro.Parse(string(text))
	if err != nil {
		return nil, err
	}
	root := s.Root()
	if root.Type != "record" || !hasField(root, "type") || !hasField(root, "event") {
		return nil, errors.New("the schema does not describe events of a job's history")
	}
	w := walk{named: map[string]*avro.SchemaNode{}, on: map[string]bool{}}
	w.collect(root)
	return s, w.visit(root)
}

func hasField(n *avro.SchemaNode, name string) bool {
	return slices.ContainsFunc(n.Fields, func(f avro.SchemaField) bool { return f.Name == name })
}

// walk traverses a schema depth first and follows its references.
type walk struct {
	named map[string]*avro.SchemaNode // by name without namespace
	twice bool                        // two types share a name without namespace
	on    map[string]bool             // named types on the path from the root
	seen  int
}

// maxSchema limits the number of parts of a schema, counting every use of a named type. Hadoop's
// schema has fewer than a thousand parts.
const maxSchema = 20000

// each calls f for the parts of the node.
func each(n *avro.SchemaNode, f func(*avro.SchemaNode)) {
	for i := range n.Fields {
		f(&n.Fields[i].Type)
	}
	for i := range n.Branches {
		f(&n.Branches[i])
	}
	for _, part := range []*avro.SchemaNode{n.Items, n.Values} {
		if part != nil {
			f(part)
		}
	}
}

func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// collect records the declarations of named types.
func (w *walk) collect(n *avro.SchemaNode) {
	if n.Name != "" {
		name := short(n.Name)
		w.twice = w.twice || w.named[name] != nil
		w.named[name] = n
	}
	each(n, w.collect)
}

func (w *walk) visit(n *avro.SchemaNode) (err error) {
	if w.twice {
		return errors.New("two types of the schema have the same name")
	}
	if target := w.named[short(n.Type)]; target != nil && n.Name == "" {
		n = target
	}
	if w.seen++; w.seen > maxSchema {
		return errors.New("the schema is too large")
	}
	if n.Name != "" {
		name := short(n.Name)
		if w.on[name] {
			return errors.New("the schema contains itself")
		}
		w.on[name] = true
		defer delete(w.on, name)
	}
	each(n, func(part *avro.SchemaNode) {
		if err == nil {
			err = w.visit(part)
		}
	})
	return err
}
