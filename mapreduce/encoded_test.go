package mapreduce

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

// visit is a struct of a program.
type visit struct {
	Page  string
	Count int64
	Tags  []string          `json:",omitempty"`
	Ages  map[string]uint16 `json:",omitempty"`
	At    *time.Time        `json:",omitempty"`
}

func visits() *rapid.Generator[visit] {
	return rapid.Custom(func(t *rapid.T) visit {
		v := visit{Page: rapid.String().Draw(t, "page"), Count: rapid.Int64().Draw(t, "count")}
		if tags := rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "tags"); len(tags) > 0 {
			v.Tags = tags
		}
		if ages := rapid.MapOfN(rapid.StringN(0, 5, -1), rapid.Uint16(), 0, 3).Draw(t, "ages"); len(ages) > 0 {
			v.Ages = ages
		}
		if rapid.Bool().Draw(t, "dated") {
			at := time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "at"), 5).UTC()
			v.At = &at
		}
		return v
	})
}

// TestEncodedOrder checks that a JSON, as a key, sorts by its text.
func TestEncodedOrder(t *testing.T) {
	ordered(t, rapid.Map(visits(), func(v visit) JSON[visit] { return JSON[visit]{v} }),
		func(a, b JSON[visit]) int {
			x, _ := encodeJSON(a.V)
			y, _ := encodeJSON(b.V)
			return bytes.Compare(x, y)
		})
}

// survives checks that a value survives encoding, in the middle of a buffer, and decoding, and that
// its decoder rejects truncated and extended bytes.
func survives[T any](t require.TestingT, v T, equal func(a, b T) bool) {
	codec, err := CodecOf[T]()
	require.NoError(t, err)
	b := codec.Append([]byte("before"), v)
	require.Equal(t, "before", string(b[:6]))
	b = b[6:]
	require.Equal(t, codec.Append(nil, v), bytes.Clone(b))
	back, err := codec.Decode(b)
	require.NoError(t, err)
	require.True(t, equal(v, back), "%v became %v", v, back)
	for _, wrong := range [][]byte{append(bytes.Clone(b), 0), b[:len(b)-1]} {
		_, err := codec.Decode(wrong)
		require.True(t, failure.Is(err, failure.Corrupt), "%x: %v", wrong, err)
	}
}

func same[T any](a, b T) bool { return reflect.DeepEqual(a, b) }

func TestEncodedRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := visits().Draw(t, "visit")
		survives(t, JSON[visit]{v}, same)
		survives(t, JSON[*visit]{&v}, same)
		survives(t, JSON[map[string]visit]{map[string]visit{v.Page: v}}, same)
		v.Ages = nil // gob writes maps in random order
		survives(t, Gob[visit]{v}, same)
		survives(t, Gob[*visit]{&v}, same)
		survives(t, Gob[map[struct{ X, Y int }]float64]{map[struct{ X, Y int }]float64{{1, 2}: math.Inf(1)}}, same)
		m, err := structpb.NewStruct(map[string]any{v.Page: float64(v.Count), "b": []any{"x", nil}})
		require.NoError(t, err)
		survives(t, Proto[*structpb.Struct]{m},
			func(a, b Proto[*structpb.Struct]) bool { return proto.Equal(a.V, b.V) })
	})
	codec, err := CodecOf[Gob[visit]]()
	require.NoError(t, err)
	v := visit{Ages: map[string]uint16{"a": 1, "b": 2}}
	back, err := codec.Decode(codec.Append(nil, Gob[visit]{v}))
	require.NoError(t, err)
	require.Equal(t, v, back.V)
}

func TestEncodedForms(t *testing.T) {
	j, err := CodecOf[JSON[visit]]()
	require.NoError(t, err)
	b := j.Append(nil, JSON[visit]{visit{Page: "<a&b>\n", Count: 1}})
	require.Equal(t, `{"Page":"<a&b>\n","Count":1}`, string(vint.Body(b)))
	require.Equal(t, "org.apache.hadoop.io.Text", j.Type.Class())
	require.Equal(t, TextWritable.Hash(b), j.Type.Hash(b))
	require.Equal(t, string(vint.Body(b)), string(j.Type.AppendText(nil, b)))

	g, err := CodecOf[Gob[visit]]()
	require.NoError(t, err)
	require.Equal(t, "org.apache.hadoop.io.BytesWritable", g.Type.Class())
	require.Equal(t, `x{"Page":"<","Count":0}`,
		string(g.Type.AppendText([]byte("x"), g.Append(nil, Gob[visit]{visit{Page: "<"}}))))
	require.Equal(t, "07", string(g.Type.AppendText(nil, []byte{0, 0, 0, 1, 7})))
	f, err := CodecOf[Gob[float64]]()
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{2}( [0-9a-f]{2})+$",
		string(f.Type.AppendText(nil, f.Append(nil, Gob[float64]{math.NaN()}))))

	p, err := CodecOf[Proto[*structpb.Struct]]()
	require.NoError(t, err)
	m, err := structpb.NewStruct(map[string]any{"b": 1, "a": []any{true}})
	require.NoError(t, err)
	b = p.Append(nil, Proto[*structpb.Struct]{m})
	require.Equal(t, "org.apache.hadoop.io.BytesWritable", p.Type.Class())
	require.Equal(t, `{"a":[true],"b":1}`, string(p.Type.AppendText(nil, b)))
	require.Equal(t, []byte{0, 0, 0, 0}, p.Append(nil, Proto[*structpb.Struct]{}))
}

// inner is an embedded struct of unexported type.
type inner struct{ N int }

// Types whose values would lose a field are invalid, and the errors say what to do.
func TestTypesThatCannotBeEncoded(t *testing.T) {
	type hidden struct {
		Page  string
		count int //lint:ignore U1000 the test is about this field
	}
	check := func(want string, err error) {
		t.Helper()
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, want)
	}
	_, err := CodecOf[JSON[hidden]]()
	check("encode mapreduce.JSON[", err)
	check("the field count of mapreduce.hidden would be lost; write its name with a capital letter", err)
	_, err = CodecOf[Gob[hidden]]()
	check("the field count of mapreduce.hidden would be lost", err)
	_, err = CodecOf[JSON[map[string][]*[2]hidden]]()
	check("the field count of mapreduce.hidden", err)
	_, err = CodecOf[JSON[struct{ F func() }]]()
	check("unsupported type: func()", err)
	_, err = CodecOf[Gob[struct {
		A int
		F *func()
	}]]()
	check("the field F of", err)
	_, err = CodecOf[Gob[struct{ n int }]]()
	check("no exported fields", err)
	_, err = CodecOf[Gob[struct {
		A int
		inner
	}]]()
	check("the field inner of", err)
	_, err = CodecOf[Proto[proto.Message]]()
	check("name the type of a message", err)

	type tree struct {
		Kids []tree
		Skip chan int `json:"-"`
		inner
		_ int
	}
	survives(t, JSON[tree]{tree{Kids: []tree{{Kids: []tree{}, inner: inner{1}}}, inner: inner{2}}}, same)

	check("use mapreduce.JSON[mapreduce.visit] or mapreduce.Gob[mapreduce.visit], or give", second(CodecOf[visit]()))
	check("use mapreduce.Proto[*structpb.Struct]", second(CodecOf[*structpb.Struct]()))
	check("use mapreduce.Proto[*wrapperspb.Int32Value]", second(CodecOf[wrapperspb.Int32Value]()))
	check("use string, Text, []byte", second(CodecOf[uint]()))
}

func second[T any](_ T, err error) error { return err }

func TestValuesThatCannotBeEncoded(t *testing.T) {
	check := func(want string, f func()) {
		t.Helper()
		defer func() {
			err, _ := recover().(error)
			require.True(t, failure.Is(err, failure.User), "%v", err)
			require.ErrorContains(t, err, want)
		}()
		f()
	}
	check("unsupported value: NaN", func() { JSON[float64]{}.Codec().Append(nil, JSON[float64]{math.NaN()}) })
	check("not registered", func() {
		Gob[struct{ A any }]{}.Codec().Append(nil, Gob[struct{ A any }]{struct{ A any }{visit{}}})
	})
	check("invalid UTF-8", func() {
		Proto[*wrapperspb.StringValue]{}.Codec().Append(nil, Proto[*wrapperspb.StringValue]{wrapperspb.String("\xff")})
	})
}

// emits is a mapper that emits records of the given types.
func emits[K, V any](*Context, int64, string, *Out[K, V]) error { return nil }

// A Job distinguishes values of different Go types, although their Writables have the same class.
func TestJobsWithEncodedTypes(t *testing.T) {
	c := conf.New()
	read := Sum[int32]()
	read.InVal, read.Val = JSON[int]{}.Codec().Type, nil
	wrong := &Job{Name: "j", Mapper: MapFunc(emits[string, JSON[visit]]), Reducer: read}
	require.ErrorContains(t, wrong.Validate(c),
		"the reducer reads values of type mapreduce.JSON[int], but the mapper emits mapreduce.JSON[")
	read.InVal = TextWritable
	require.NoError(t, (&Job{Name: "j", Mapper: MapFunc(emits[string, JSON[visit]]), Reducer: read}).Validate(c))
	lines := func(*Context, int64, JSON[visit], *Out[JSON[visit], Null]) error { return nil }
	require.NoError(t, (&Job{Name: "j", Mapper: MapFunc(lines)}).Validate(c), "JSON is a key and reads lines")

	for _, m := range []MapperClass{MapFunc(emits[Gob[visit], Null]), MapFunc(emits[Proto[*structpb.Struct], Null])} {
		err := (&Job{Name: "j", Mapper: m}).Validate(c)
		require.ErrorContains(t, err, "equal keys of this type can have different bytes")
	}
	mapOnly := conf.New()
	mapOnly.Set(conf.JobReduces.Name, "0", "test")
	require.NoError(t, (&Job{Name: "j", Mapper: MapFunc(emits[Gob[visit], Null])}).Validate(mapOnly))
	err := (&Job{Name: "j", Mapper: MapFunc(emits[string, visit])}).Validate(c)
	require.ErrorContains(t, err,
		"the mapper emits a type without a Writable: encode mapreduce.visit: the type has no codec")
}

func BenchmarkEncoded(b *testing.B) {
	v := visit{Page: "/index.html", Count: 12}
	benchmarkCodec(b, "JSON", JSON[visit]{v})
	benchmarkCodec(b, "Gob", Gob[visit]{v})
	m, err := structpb.NewStruct(map[string]any{"page": v.Page, "count": v.Count})
	require.NoError(b, err)
	benchmarkCodec(b, "Proto", Proto[*structpb.Struct]{m})
}

func benchmarkCodec[T any](b *testing.B, name string, v T) {
	codec, err := CodecOf[T]()
	require.NoError(b, err)
	x := codec.Append(nil, v)
	b.Run("encode"+name, func(b *testing.B) {
		for b.Loop() {
			x = codec.Append(x[:0], v)
		}
	})
	b.Run("decode"+name, func(b *testing.B) {
		for b.Loop() {
			if _, err := codec.Decode(x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// FuzzDecodeEncoded checks that a decoder either rejects the bytes or returns a value that survives
// encoding and decoding, and that the text form of any bytes is one line.
func FuzzDecodeEncoded(f *testing.F) {
	f.Add(JSON[visit]{}.Codec().Append(nil, JSON[visit]{visit{Page: "p", Tags: []string{"t"}}}))
	f.Add(Gob[visit]{}.Codec().Append(nil, Gob[visit]{visit{Page: "p", Tags: []string{"t"}}}))
	f.Add([]byte{0, 0, 0, 11, 10, 9, 10, 1, 'a', 18, 4, 26, 2, 'x', 'y'})
	f.Add([]byte{0, 0, 0, 2, 7, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		decodesAgain[JSON[visit]](t, b)
		decodesAgain[Gob[visit]](t, b)
		decodesAgain[Proto[*structpb.Struct]](t, b)
	})
}

func decodesAgain[T any](t *testing.T, b []byte) {
	codec, err := CodecOf[T]()
	require.NoError(t, err)
	if codec.Type.Class() != TextWritable.Class() {
		require.NotContains(t, string(codec.Type.AppendText(nil, b)), "\n")
	}
	v, err := codec.Decode(bytes.Clone(b))
	if err != nil {
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
		return
	}
	defer func() {
		// A decoder accepts some strings that the encoder rejects.
		if err, ok := recover().(error); ok {
			require.True(t, failure.Is(err, failure.User), "%v", err)
		}
	}()
	back, err := codec.Decode(codec.Append(nil, v))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%+v", v), fmt.Sprintf("%+v", back))
}
