package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/twmb/avro"
)

// maxEvent limits the size of an event in bytes. Decoding holds the whole event in memory.
const maxEvent = 64 << 20

// binary reads the events of an Avro-Binary file. Events are not framed, so nothing after a damaged
// event is readable. For error messages, each event counts as one line, starting at line 3.
func (h *jhistReader) binary(schemaText []byte, r *bufio.Reader) {
	schema, err := eventSchema(schemaText)
	if err != nil {
		h.im.damage(h.path, 2, "the schema: %v", err)
		return
	}
	d := &eventDecoder{schema: schema, r: r}
	for n := int64(3); ; n++ {
		e, err := d.next()
		if err == io.EOF {
			return
		}
		if err != nil {
			h.im.damage(h.path, n, "event %d: %v; the rest cannot be read", n-2, err)
			return
		}
		h.use(n, e)
	}
}

type eventDecoder struct {
	schema *avro.Schema
	r      io.Reader
	buf    []byte // read but not decoded
	end    bool   // r is at its end
}

// next returns the next event, or io.EOF. It reads until the buffer contains a whole event.
func (d *eventDecoder) next() (e map[string]any, err error) {
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
func (d *eventDecoder) more() error {
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
