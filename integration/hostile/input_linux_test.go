//go:build integration

package hostile

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// noise returns up to n random bytes.
func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, 1+r.IntN(n))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// mutate returns a copy of b with a few random changes.
func mutate(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range r.IntN(6) {
		if len(b) == 0 {
			return noise(r, 100)
		}
		at := r.IntN(len(b))
		to := min(len(b), at+1+r.IntN(64))
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		case 2:
			b = slices.Delete(b, at, to)
		case 3:
			b = slices.Insert(b, at, bytes.Clone(b[at:to])...)
		case 4:
			b = slices.Insert(b, at, noise(r, 64)...)
		default:
			b = b[:at]
		}
	}
	return b
}

// method is a method of a gRPC service.
type method struct {
	name    string // "/service/method"
	request protoreflect.MessageDescriptor
}

// methods lists the methods of all services that are linked into this program.
func methods() (list []method) {
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			s := f.Services().Get(i)
			for k := range s.Methods().Len() {
				m := s.Methods().Get(k)
				list = append(list, method{"/" + string(s.FullName()) + "/" + string(m.Name()), m.Input()})
			}
		}
		return true
	})
	return list
}

// message returns a random message. Half of the time, its encoding is mutated.
func message(r *rand.Rand, d protoreflect.MessageDescriptor) proto.Message {
	m := random(r, d, 3)
	if r.IntN(2) == 0 {
		return m
	}
	b, err := proto.Marshal(m)
	if err != nil {
		return m
	}
	mutated := dynamicpb.NewMessage(d)
	mutated.SetUnknown(mutate(r, b)) // unknown fields are encoded unchanged
	return mutated
}

func random(r *rand.Rand, d protoreflect.MessageDescriptor, depth int) *dynamicpb.Message {
	m := dynamicpb.NewMessage(d)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if r.IntN(3) == 0 || depth == 0 && f.Message() != nil {
			continue
		}
		switch {
		case f.IsMap():
		case f.IsList():
			list := m.Mutable(f).List()
			for range r.IntN(4) {
				list.Append(value(r, f, depth))
			}
		default:
			m.Set(f, value(r, f, depth))
		}
	}
	return m
}

func value(r *rand.Rand, f protoreflect.FieldDescriptor, depth int) protoreflect.Value {
	edge := []int64{0, 1, -1, 2, 1000, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, r.Int64()}[r.IntN(10)]
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(edge&1 == 1)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(edge))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(edge)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(edge))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(edge))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(r.Uint32()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(r.Uint64()))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(edge))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(noise(r, 1<<r.IntN(18)))
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return protoreflect.ValueOfMessage(random(r, f.Message(), depth-1))
	}
	text := []string{"", "x", "../../etc/passwd", "job_1_0001", "attempt_1_0001_m_000000_0", "127.0.0.1:1", "nobody",
		"file:/etc/passwd", "\x00", "%s%n"}[r.IntN(10)]
	if r.IntN(8) == 0 {
		text = string(bytes.ToValidUTF8(noise(r, 1<<r.IntN(18)), []byte("?")))
	}
	return protoreflect.ValueOfString(text)
}
