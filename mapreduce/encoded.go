package mapreduce

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/job/failure"
)

// JSON is a key or value of any Go type that package encoding/json can encode. Its Writable is a
// Text that contains the JSON on one line, so SequenceFiles name the class
// org.apache.hadoop.io.Text. A mapper can therefore also read lines of JSON from text files, and
// TextOutput writes such lines.
//
// Keys are equal if their JSON is equal. They are partitioned and sorted by the bytes of their JSON:
// {"N":10} comes before {"N":9}.
//
// A job is invalid if T has an unexported field, which JSON would lose, unless T encodes itself or
// the field's tag is json:"-". If V cannot be encoded, such as NaN, Emit panics and the attempt
// fails. JSON replaces bytes that are not UTF-8.
type JSON[T any] struct{ V T }

// Codec implements Writable.
func (JSON[T]) Codec() Codec[JSON[T]] {
	typ := reflect.TypeFor[T]()
	encode := func(v *T) []byte {
		b, err := encodeJSON(v)
		if err != nil {
			panic(failure.New(failure.User, "encode", typ.String(), err))
		}
		return b
	}
	_, err := encodeJSON(new(T))
	if err == nil {
		err = jsonFields.check(typ, map[reflect.Type]bool{})
	}
	return Codec[JSON[T]]{
		Type:   validOr(jsonType{goType: goType{reflect.TypeFor[JSON[T]]()}}, err),
		Append: func(dst []byte, v JSON[T]) []byte { return appendText(dst, encode(&v.V)) },
		Decode: func(b []byte) (v JSON[T], err error) {
			text, err := decodeText(b)
			if err != nil {
				return v, err
			}
			if err := json.Unmarshal(text, &v.V); err != nil {
				return v, corrupt(typ.String(), err)
			}
			return v, nil
		},
	}
}

// encodeJSON returns the JSON of v on one line. Unlike json.Marshal, it does not escape <, >, and &.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Gob is a value of any Go type that package encoding/gob can encode, including types that JSON
// cannot, such as maps with structs as keys. Its Writable is a BytesWritable, so SequenceFiles name
// the class org.apache.hadoop.io.BytesWritable. Its text form is JSON, or hexadecimal for values
// without a JSON form.
//
// Each value contains a description of its type, so a JSON is usually smaller and about ten times
// faster to decode. The description's bytes depend on the program's other types, and those of a map
// on chance. A Gob therefore cannot be a map output key of a job with reducers.
//
// A job is invalid if T has a field that gob would lose: one that is unexported, a channel, or a
// function. If V cannot be encoded, such as a nil pointer, Emit panics and the attempt fails.
type Gob[T any] struct{ V T }

// Codec implements Writable.
func (Gob[T]) Codec() Codec[Gob[T]] {
	typ := reflect.TypeFor[T]()
	decode := func(body []byte) (v Gob[T], err error) {
		return v, gob.NewDecoder(bytes.NewReader(body)).Decode(&v.V)
	}
	sample := reflect.New(typ)
	if typ.Kind() == reflect.Pointer {
		sample.Elem().Set(reflect.New(typ.Elem())) // gob panics on a nil pointer
	}
	err := gob.NewEncoder(new(bytes.Buffer)).EncodeValue(sample)
	if err == nil {
		err = gobFields.check(typ, map[reflect.Type]bool{})
	}
	return Codec[Gob[T]]{
		Type: validOr(newValueType[Gob[T]](func(body []byte) ([]byte, error) {
			v, err := decode(body)
			if err != nil {
				return nil, err
			}
			return encodeJSON(&v.V)
		}), err),
		Append: func(dst []byte, v Gob[T]) []byte {
			var b bytes.Buffer
			if err := gob.NewEncoder(&b).Encode(&v.V); err != nil {
				panic(failure.New(failure.User, "encode", typ.String(), err))
			}
			return appendBytes(dst, b.Bytes())
		},
		Decode: decodeBody(typ, decode),
	}
}

// Proto is a value that is a protocol buffer message. T is the pointer type that protoc generates,
// such as *pb.Event. Its Writable is a BytesWritable with the message's wire format, so
// SequenceFiles name the class org.apache.hadoop.io.BytesWritable. Its text form is the message's
// JSON on one line. A nil V becomes an empty message.
//
// Equal messages can have different bytes, for example if they have unknown fields. A Proto
// therefore cannot be a map output key of a job with reducers. If a required field is missing or a
// string is not UTF-8, Emit panics and the attempt fails.
type Proto[T proto.Message] struct{ V T }

// Codec implements Writable.
func (Proto[T]) Codec() Codec[Proto[T]] {
	typ := reflect.TypeFor[T]()
	decode := func(body []byte) (v Proto[T], err error) {
		v.V = v.V.ProtoReflect().New().Interface().(T)
		return v, proto.Unmarshal(body, v.V)
	}
	var err error
	if typ.Kind() == reflect.Interface {
		err = errors.New("name the type of a message, such as *pb.Event, not an interface")
	}
	options := proto.MarshalOptions{Deterministic: true}
	return Codec[Proto[T]]{
		Type: validOr(newValueType[Proto[T]](func(body []byte) ([]byte, error) {
			v, err := decode(body)
			if err != nil {
				return nil, err
			}
			text, err := protojson.Marshal(v.V)
			if err != nil {
				return nil, err
			}
			var line bytes.Buffer
			err = json.Compact(&line, text) // protojson adds spaces in some builds
			return line.Bytes(), err
		}), err),
		Append: func(dst []byte, v Proto[T]) []byte {
			at := len(dst)
			dst, err := options.MarshalAppend(append(dst, 0, 0, 0, 0), v.V)
			if err != nil {
				panic(failure.New(failure.User, "encode", typ.String(), err))
			}
			binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
			return dst
		},
		Decode: decodeBody(typ, decode),
	}
}

// decodeBody returns a decoder of BytesWritables whose body contains a value that decode reads. typ is
// the Go type for the message of an error.
func decodeBody[T any](typ reflect.Type, decode func(body []byte) (T, error)) func(b []byte) (T, error) {
	return func(b []byte) (v T, err error) {
		body, err := decodeBytes(b)
		if err != nil {
			return v, err
		}
		if v, err = decode(body); err != nil {
			return v, corrupt(typ.String(), err)
		}
		return v, nil
	}
}

// goType is the Go type of a value whose Writable has the class of a more general type. Job.Validate
// compares the Go types of two stages, if both have one, in addition to the classes.
type goType struct{ typ reflect.Type }

func (g goType) wrapper() reflect.Type { return g.typ }

// jsonType is the type of a JSON.
type jsonType struct {
	textType
	goType
}

// valueType is the type of a Gob or Proto. text returns the text form of the bytes in a
// BytesWritable.
type valueType struct {
	bytesType
	goType
	text func(body []byte) ([]byte, error)
}

func newValueType[T any](text func(body []byte) ([]byte, error)) Type {
	return &valueType{goType: goType{reflect.TypeFor[T]()}, text: text}
}

func (t *valueType) AppendText(dst, b []byte) []byte {
	if text, err := t.text(bytesBody(b)); err == nil {
		return append(dst, text...)
	}
	return t.bytesType.AppendText(dst, b)
}

// validOr returns t, or an invalid type if err is not nil.
func validOr(t Type, err error) Type {
	if err == nil {
		return t
	}
	return InvalidType(err)
}

// typeName returns the Go type of a JSON, Gob, or Proto, and the class of any other type.
func typeName(t Type) string {
	if g, ok := t.(interface{ wrapper() reflect.Type }); ok {
		return g.wrapper().String()
	}
	return t.Class()
}

// sameType reports whether values of type got can be read as values of type want.
func sameType(want, got Type) bool {
	w, ok := want.(interface{ wrapper() reflect.Type })
	g, both := got.(interface{ wrapper() reflect.Type })
	return want.Class() == got.Class() && !(ok && both && w.wrapper() != g.wrapper())
}

// fields describes which fields of a struct an encoding leaves out without an error.
type fields struct {
	own      []reflect.Type // a type that implements one of these interfaces encodes itself
	embedded bool           // the exported fields of an unexported embedded struct are encoded
	tag      string         // the value "-" of this tag leaves out a field on purpose
	skips    map[reflect.Kind]bool
}

var (
	jsonFields = fields{own: []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()},
		embedded: true, tag: "json"}
	gobFields = fields{own: []reflect.Type{reflect.TypeFor[gob.GobEncoder](), reflect.TypeFor[encoding.BinaryMarshaler](),
		reflect.TypeFor[encoding.TextMarshaler]()},
		skips: map[reflect.Kind]bool{reflect.Chan: true, reflect.Func: true}}
)

// check returns an error if the encoding of t leaves out a field. seen contains the types that have
// been checked.
func (f fields) check(t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	for _, own := range f.own {
		if reflect.PointerTo(t).Implements(own) {
			return nil
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return f.check(t.Elem(), seen)
	case reflect.Map:
		return errors.Join(f.check(t.Key(), seen), f.check(t.Elem(), seen))
	case reflect.Struct:
		for i := range t.NumField() {
			x := t.Field(i)
			inline := f.embedded && x.Anonymous && x.Type.Kind() == reflect.Struct
			base := x.Type
			for base.Kind() == reflect.Pointer {
				base = base.Elem()
			}
			switch {
			case x.Name == "_" || f.tag != "" && x.Tag.Get(f.tag) == "-":
			case !x.IsExported() && !inline:
				return fmt.Errorf("the field %s of %s would be lost; write its name with a capital letter", x.Name, t)
			case f.skips[base.Kind()]:
				return fmt.Errorf("the field %s of %s would be lost; remove it", x.Name, t)
			default:
				if err := f.check(base, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
