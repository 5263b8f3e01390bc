package mapreduce

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/job/failure"
)

// Text is a text key or value that shares memory with the serialized record. A Text that a mapper
// or reducer receives is valid only while the record is valid.
type Text []byte

// Null represents the absence of a value (NullWritable).
type Null struct{}

// VInt32 and VInt64 are integers with a variable-length encoding of up to 5 and 9 bytes
// (VIntWritable, VLongWritable).
type (
	VInt32 int32
	VInt64 int64
)

// MD5 is an MD5 digest (MD5Hash).
type MD5 [16]byte

// Codec converts between a Go type and its Writable. Append appends the serialized value. Decode
// parses b, a serialized value, and returns an error of kind Corrupt if b is malformed. The result
// may share memory with b.
type Codec[T any] struct {
	Type   Type
	Append func(dst []byte, v T) []byte
	Decode func(b []byte) (T, error)
}

// Writable is the interface of custom record types. Implement it on the value, not on a pointer.
// CodecOf calls Codec on the zero value of the type. All methods of the codec's Type must be able
// to read the bytes that Append writes.
type Writable[T any] interface {
	Codec() Codec[T]
}

// CodecOf returns the codec of a Go type. It supports every type that implements Writable and these
// types:
//
//	string, Text    Text             int8     ByteWritable     float32  FloatWritable
//	[]byte          BytesWritable    int16    ShortWritable    float64  DoubleWritable
//	int, int64      LongWritable     int32    IntWritable      bool     BooleanWritable
//	VInt32, VInt64  V…Writable       MD5      MD5Hash          Null     NullWritable
//
// A decoded string is a copy. A decoded Text or []byte shares memory with the serialized value. For
// any other type, CodecOf returns an error of kind Config. Wrap such a type in a JSON, Gob, or Proto.
func CodecOf[T any]() (Codec[T], error) {
	var zero T
	if w, ok := any(zero).(Writable[T]); ok {
		c := w.Codec()
		if bad, ok := c.Type.(badType); ok {
			return c, failure.New(failure.Config, "encode", reflect.TypeFor[T]().String(), bad.err)
		}
		return c, nil
	}
	if c, ok := builtinCodec(zero).(Codec[T]); ok {
		return c, nil
	}
	t := reflect.TypeFor[T]()
	return Codec[T]{}, failure.New(failure.Config, "encode", t.String(), errNoCodec).Fix(codecAdvice(t))
}

var errNoCodec = errors.New("the type has no codec")

// codecAdvice returns what a program can use instead of t, a type without a codec.
func codecAdvice(t reflect.Type) string {
	message := reflect.TypeFor[proto.Message]()
	switch kind := t.Kind(); {
	case kind != reflect.Interface && t.Implements(message):
		return fmt.Sprintf("use mapreduce.Proto[%s]", t)
	case reflect.PointerTo(t).Implements(message):
		return fmt.Sprintf("use mapreduce.Proto[*%s]", t)
	case kind == reflect.Struct, kind == reflect.Map, kind == reflect.Slice, kind == reflect.Array,
		kind == reflect.Pointer:
		return fmt.Sprintf("use mapreduce.JSON[%[1]s] or mapreduce.Gob[%[1]s], or give the type a Codec method", t)
	}
	return "use string, Text, []byte, a sized number, bool, Null, or a type with a Codec method on the value"
}

func builtinCodec(zero any) any {
	switch zero.(type) {
	case string:
		return Codec[string]{TextWritable, appendText[string], func(b []byte) (string, error) {
			t, err := decodeText(b)
			return string(t), err
		}}
	case Text:
		return Codec[Text]{TextWritable, appendText[Text],
			func(b []byte) (Text, error) { return decodeText(b) }}
	case []byte:
		return Codec[[]byte]{BytesWritable, appendBytes, decodeBytes}
	case int:
		return Codec[int]{LongWritable, func(dst []byte, v int) []byte { return appendLong(dst, int64(v)) },
			func(b []byte) (int, error) {
				v, err := decodeLong(b)
				return int(v), err
			}}
	case int64:
		return Codec[int64]{LongWritable, appendLong, decodeLong}
	case int32:
		return Codec[int32]{IntWritable, appendInt, decodeInt}
	case int16:
		return Codec[int16]{ShortWritable,
			func(dst []byte, v int16) []byte { return binary.BigEndian.AppendUint16(dst, uint16(v)) },
			func(b []byte) (int16, error) { return short(b), fixed("ShortWritable", b, 2) }}
	case int8:
		return Codec[int8]{ByteWritable, func(dst []byte, v int8) []byte { return append(dst, byte(v)) },
			func(b []byte) (int8, error) { return octet(b), fixed("ByteWritable", b, 1) }}
	case VInt32:
		return Codec[VInt32]{VIntWritable, func(dst []byte, v VInt32) []byte { return AppendVInt(dst, int32(v)) },
			func(b []byte) (VInt32, error) {
				v, err := decodeVInt(b)
				return VInt32(v), err
			}}
	case VInt64:
		return Codec[VInt64]{VLongWritable, func(dst []byte, v VInt64) []byte { return AppendVLong(dst, int64(v)) },
			func(b []byte) (VInt64, error) {
				v, err := decodeVLong(b)
				return VInt64(v), err
			}}
	case bool:
		return Codec[bool]{BooleanWritable, appendBool, func(b []byte) (bool, error) {
			return isTrue(b),
				fixed("BooleanWritable", b, 1)
		}}
	case float32:
		return Codec[float32]{FloatWritable,
			func(dst []byte, v float32) []byte { return binary.BigEndian.AppendUint32(dst, floatBits(v)) },
			func(b []byte) (float32, error) {
				return math.Float32frombits(be32(b)), fixed("FloatWritable", b, 4)
			}}
	case float64:
		return Codec[float64]{DoubleWritable,
			func(dst []byte, v float64) []byte { return binary.BigEndian.AppendUint64(dst, doubleBits(v)) },
			func(b []byte) (float64, error) { return float(be64(b)), fixed("DoubleWritable", b, 8) }}
	case Null:
		return Codec[Null]{NullWritable, func(dst []byte, _ Null) []byte { return dst },
			func(b []byte) (Null, error) { return Null{}, fixed("NullWritable", b, 0) }}
	case MD5:
		return Codec[MD5]{MD5Hash, func(dst []byte, v MD5) []byte { return append(dst, v[:]...) },
			func(b []byte) (v MD5, err error) {
				copy(v[:], b)
				return v, fixed("MD5Hash", b, len(v))
			}}
	}
	return nil
}

func appendLong(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

func decodeLong(b []byte) (int64, error) { return int64(be64(b)), fixed("LongWritable", b, 8) }

func appendInt(dst []byte, v int32) []byte { return binary.BigEndian.AppendUint32(dst, uint32(v)) }

func decodeInt(b []byte) (int32, error) { return int32(be32(b)), fixed("IntWritable", b, 4) }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}
